# The C types of block_kernel.py.
cimport cython
from adeptree._compiled.block_counts_kernel cimport BlockCounts
from adeptree._compiled.mass_kernel cimport log_plus
from libc.math cimport exp, floor, ldexp, log, log2

@cython.final
cdef class BlocksKernel(BlockCounts):
    # The tree, and the way down to the point in place.
    cdef Py_ssize_t polynomials, levels, way, unit, finger, good, massed
    cdef long long[::1] start, length
    cdef double[::1] M, X
    # Numbers M e^(X L).
    cdef double quantum, log_radix, radix, less, high, low

    cdef void put_number(self, Py_ssize_t at, double gain, double log_factor) noexcept
    cdef void multiply(
        self,
        Py_ssize_t out,
        Py_ssize_t low,
        Py_ssize_t high,
        Py_ssize_t a,
        Py_ssize_t degree_a,
        Py_ssize_t b,
        Py_ssize_t degree_b,
        bint more,
    ) noexcept
    cdef Py_ssize_t node(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef Py_ssize_t row(self, Py_ssize_t h, Py_ssize_t which) noexcept
    cdef Py_ssize_t degree(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef void set_node(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef void step_down(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef void set_masses(self, long long n) noexcept
