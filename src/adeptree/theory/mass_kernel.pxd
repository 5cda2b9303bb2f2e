# What other kernels may call of mass_kernel.py, as C.
from libc.math cimport INFINITY as inf, exp, log, log1p

cdef double log_plus(double a, double b) noexcept
cdef long long sets_within(long long n, long long most) noexcept

cdef class Masses:
    cdef public bint settled
    cdef readonly double[::1] log_capacity, capacity
    cdef double[::1] shares, betas, right
    cdef double count_share
    cdef Py_ssize_t parts, room, most
    cdef long long horizon, bound, left

    cpdef int reserve(self, Py_ssize_t n) except -1
    cdef double part(self, Py_ssize_t i, Py_ssize_t k, Py_ssize_t n) noexcept
    cpdef double log_mass(self, Py_ssize_t k, Py_ssize_t n, double share) noexcept
    cpdef void set_round(self, long long t) noexcept
