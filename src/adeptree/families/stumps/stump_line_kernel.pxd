# What the kernel of stumps calls of stump_line_kernel.py, as C.
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.shares_kernel cimport Shares

cimport cython

@cython.final
cdef class StumpLine(LineTree):
    cdef Shares shares_of
    cdef StumpLine lead
    # How x divides its gap: whether there are cuts on both sides, what the base learner says of falling cuts, masses.
    cdef bint inner, fall
    cdef double up_low, up_high, down_low, down_high
    # Sums over some gaps, and at x those of either label.
    cdef double over, least_up, sum_up, least_down, sum_down
    cdef double least1, sum1, least0, sum0

    cdef double shrunk(self, double loss) noexcept
    cdef void sum_range(self, Py_ssize_t first, Py_ssize_t end, double gain) noexcept
    cdef void merge(self, Py_ssize_t at, Py_ssize_t left, Py_ssize_t right, double shift) noexcept
    cdef void add1(self, double loss, double mass) noexcept
    cdef void add0(self, double loss, double mass) noexcept
    cdef void see_line(self) noexcept
    cdef void take_line(self, int label, double cost) noexcept
    cdef void adopt(self, long long low, bint down, long long k, long long n, double mass) noexcept
    cpdef double lowest(self) noexcept
