# What columns call of value_sets_kernel.py, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.mass_kernel cimport sets_within
from libc.math cimport INFINITY as inf, exp, log

@cython.final
cdef class ValueSets:
    cdef public Py_ssize_t count
    cdef public double ones, zeros, eta
    cdef public double[::1] gain
    cdef Py_ssize_t size, most, stride
    cdef double floor
    cdef double[::1] best, every, ended, totals, floors, logs

    cdef double shrunk(self, double loss) noexcept
    cdef int reserve(self) except -1
    @cython.locals(k=Py_ssize_t)
    cdef void fill(self, Py_ssize_t node, Py_ssize_t slot, double sign, int kept) noexcept
    @cython.locals(i=Py_ssize_t, k=Py_ssize_t, best=double, every=double, ended=double, worth=double)
    cdef void join(self, Py_ssize_t into, Py_ssize_t left, Py_ssize_t right) noexcept
    cdef void set_leaf(self, Py_ssize_t slot) noexcept
    cdef void climb(self, Py_ssize_t node) noexcept
    @cython.locals(side=Py_ssize_t)
    cdef void sum_up(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cpdef void rebuild(self) noexcept
    cdef void meet(self) noexcept
    cdef void charge(self, Py_ssize_t slot, int label, double cost) noexcept
    cdef Py_ssize_t only(self, Py_ssize_t slot, bint unequal, int kept) noexcept
    @cython.locals(k=Py_ssize_t)
    cdef double weigh(self, Py_ssize_t node, double ended, double open) noexcept
    cdef double part(self, Py_ssize_t slot, bint unequal, bint inside) noexcept
    cdef double chosen(self, Py_ssize_t slot, bint unequal) noexcept
    cpdef double least(self, bint unequal) noexcept
    cpdef double log_total(self, bint unequal) noexcept
    cdef double log_odds(self, Py_ssize_t slot, bint unequal) noexcept
    cdef long long choices(self) noexcept
