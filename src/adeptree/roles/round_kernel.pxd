# What the kernels of structures inherit of round_kernel.py, as C.
cimport cython

from adeptree._compiled.actions_kernel cimport Actions
from adeptree._compiled.ledger_kernel cimport Ledger, coin, mixed
from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport PyThread_get_thread_ident as get_ident
from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_SetItem
from libc.math cimport INFINITY as inf

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        pass
    object PyType_GenericAlloc(PyTypeObject* kind, Py_ssize_t items)

cdef inline int put(object fields, Py_ssize_t place, object value) except -1:
    Py_INCREF(value)  # (which the tuple takes over)
    return PyTuple_SetItem(fields, place, value)

# A ticket without a second tuple for its fields, and without a step of Python.
cdef inline object ticket_of(
    object kind, object number, object x, object p, object guess, object arrivals, object owner, object r, object q
):
    cdef object ticket = PyType_GenericAlloc(<PyTypeObject*>kind, 9)
    put(ticket, 0, number)
    put(ticket, 1, x)
    put(ticket, 2, p)
    put(ticket, 3, guess)
    put(ticket, 4, arrivals)
    put(ticket, 5, owner)
    put(ticket, 6, r)
    put(ticket, 7, q)
    put(ticket, 8, True)
    return ticket

cdef class RoundKernel(Actions):
    cdef public Ledger ledger
    cdef public double end, scale, stay_rounds, stay_loss, stay_gap
    cdef public unsigned long long seed, word
    cdef public long long asked, stamp, ahead
    cdef public int[::1] actions
    cdef public Py_ssize_t plays
    cdef public bint due, seen, known, stale, opening
    cdef public object raised
    cdef object queue  # the points of a batch
    cdef dict book
    cdef object kind, owner

    # What a structure writes.
    cdef bint place(self, object x) except -1
    cdef bint quick(self, object x) except -1
    cdef object for_ticket(self, object x)
    cdef int place_at(self, Py_ssize_t i) except -1
    cdef void warm(self, Py_ssize_t first, Py_ssize_t stop) noexcept
    cdef void look(self) noexcept
    cdef int reserve(self) except -1
    cdef void take(self, int label, double cost) noexcept
    cpdef double least(self) noexcept
    cpdef double log_total(self) noexcept
    cpdef long long count(self) noexcept
    cdef void ask(self) noexcept
    cdef void rebuild(self) noexcept
    cdef void spell(self) noexcept

    # What a structure writes whose best rule may change (sharing_kernel.py).
    cdef void look_lanes(self, double[::1] one, double[::1] whole) noexcept
    cdef void take_lanes(self, int label, double cost, double[::1] right1, double[::1] right0, Py_ssize_t place) noexcept
    cdef void add_lanes(self, double[::1] whole) noexcept
    cdef void share_lanes(self, double[::1] kept, double[::1] dealt) noexcept
    cdef double refresh(self, Py_ssize_t k, long long since, long long until, int[::1] labels, double[::1] costs) noexcept
    cdef bint says(self, Py_ssize_t k) noexcept

    # What comes with it, for all structures alike.
    @cython.final
    cdef bint enter(self) noexcept
    @cython.final
    @cython.locals(number='long long', overlaps='long long')
    cdef int settle_ticket(self, object known, int label) except -2
    @cython.final
    cdef int settle_here(self, int label, double cost, double p, double r, int action, long long overlaps, double q) except -1
    @cython.final
    cdef int prepare(self) except -1
    @cython.final
    cdef void see(self) noexcept
    @cython.final
    cdef void play(self, int label, double cost) noexcept
    @cython.final
    cdef void pass_by(self, int action, bint wanted) noexcept
    @cython.final
    cdef bint overdue(self) noexcept
    @cython.final
    cdef void charge_answered(self, int label, double cost, double p, double r, int action) noexcept
