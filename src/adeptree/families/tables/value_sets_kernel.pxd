# What columns call of value_sets_kernel.py, as C.
cimport cython
from adeptree._compiled.values_kernel cimport SingleValues

@cython.final
cdef class ValueSets(SingleValues):
    cdef Py_ssize_t most, stride
    cdef double floor
    cdef double[::1] best, every, ended

    cdef void fill(self, Py_ssize_t node, Py_ssize_t slot, double sign, int kept) noexcept
    cdef void join(self, Py_ssize_t into, Py_ssize_t left, Py_ssize_t right) noexcept
    cdef Py_ssize_t only(self, Py_ssize_t slot, bint unequal, int kept) noexcept
    cdef double weigh(self, Py_ssize_t node, double ended, double open) noexcept
    cdef double part(self, Py_ssize_t slot, bint unequal, bint inside) noexcept
    cdef double whole(self, bint unequal) noexcept
