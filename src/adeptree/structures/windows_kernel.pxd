# What windows_kernel.py shares with other kernels, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer

cdef long long step(long long span) noexcept

cdef class Window:
    cdef readonly Py_ssize_t span
    cdef Py_ssize_t count, fresh, half
    cdef readonly Py_ssize_t room
    cdef long long[::1] keys, rounds
    cdef double[::1] gains
    cdef double loss
    cdef public double side0, side1  # what the label 0 or 1 has lost in rounds that have no point
    cdef public bint rises
    cdef public long long low, high  # the points around the best cut

    cpdef int grow(self, Py_ssize_t room) except -1
    @cython.final
    cdef void enter(self, long long key, double gain, long long t) noexcept
    @cython.final
    cdef void merge(self, long long until) noexcept
    @cython.final
    cdef void choose(self, bint falls, bint single) noexcept
