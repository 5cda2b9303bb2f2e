# What lines with two rules per gap are to kernels, as C.
from adeptree._compiled.line_tree_kernel cimport LineTree

cdef class TwoWayLine(LineTree):
    cdef double[:] falling
    cdef Py_ssize_t step
    # How x divides the masses of its gap: of rising and falling rules, up to x and beyond it.
    cdef double up_low, up_high, down_low, down_high
    # Sums over some gaps, and at x those of either label.
    cdef double over, least_up, sum_up, least_down, sum_down
    cdef double least1, sum1, least0, sum0

    cdef double shrunk(self, double loss) noexcept
    cdef void sum_range(self, Py_ssize_t first, Py_ssize_t end) noexcept
    cdef void merge(self, Py_ssize_t at, Py_ssize_t left, Py_ssize_t right, double shift) noexcept
    cdef void add1(self, double loss, double mass) noexcept
    cdef void add0(self, double loss, double mass) noexcept
    cdef void gather(self) noexcept
    cdef void share(self) noexcept
