# What lines with two rules per gap are to kernels, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport word_of_float
from adeptree._compiled.line_tree_kernel cimport LineTree, is_plain
from libc.math cimport INFINITY as inf, exp, log

cdef class TwoWayLine(LineTree):
    # Sums over some gaps, and at x those of either label.
    cdef double over, least_up, sum_up, least_down, sum_down
    cdef double least1, sum1, least0, sum0

    cdef void sum_range(self, Py_ssize_t first, Py_ssize_t end) noexcept
    cdef void merge(self, Py_ssize_t at, Py_ssize_t left, Py_ssize_t right, double shift) noexcept
    cdef void add1(self, double loss, double mass) noexcept
    cdef void add0(self, double loss, double mass) noexcept

@cython.final
cdef class RankedLine(TwoWayLine):
    cdef double[::1] cuts, given
    cdef double value

    cdef void meet(self, double value) noexcept
