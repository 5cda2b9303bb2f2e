# The kernel of mixtures in mixture_kernel.py, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport Ledger, mixed, softplus
from adeptree._compiled.mass_kernel cimport log_plus
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, log

cdef class MixtureKernel(RoundKernel):
    cdef public list parts, names, readers, direct, columns
    cdef public bint raw
    cdef public double[::1] log_share
    cdef double[::1] weight
    cdef unsigned long long[::1] words

    @cython.locals(i=Py_ssize_t)
    cdef void arrive(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef double weigh(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void look_at_parts(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef bint place(self, object x) except -1
    @cython.locals(f=Py_ssize_t)
    cdef int place_at(self, Py_ssize_t i) except -1
    @cython.locals(i=Py_ssize_t)
    cdef void warm(self, Py_ssize_t first, Py_ssize_t stop) noexcept
    @cython.locals(i=Py_ssize_t, far=double, top=double, one=double, zero=double)
    cdef void look(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void spell(self) noexcept
    @cython.locals(i=Py_ssize_t, odds=double, one=double, zero=double)
    cpdef double log_ratio(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef int reserve(self) except -1
    @cython.locals(i=Py_ssize_t)
    cdef void take(self, int label, double cost) noexcept
    @cython.locals(i=Py_ssize_t, loss=double)
    cpdef double least(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cpdef double log_total(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cpdef long long count(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void ask(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void rebuild(self) noexcept
