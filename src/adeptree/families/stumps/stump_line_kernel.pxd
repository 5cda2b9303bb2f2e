# What the kernel of stumps calls of stump_line_kernel.py, as C.
from adeptree._compiled.shares_kernel cimport Shares
from adeptree._compiled.two_way_line_kernel cimport TwoWayLine

cimport cython

@cython.final
cdef class StumpLine(TwoWayLine):
    cdef Shares shares_of
    # Whether there are cuts on both sides of x, and what the base learner says of falling ones.
    cdef bint inner, fall

    cdef void adopt(self, long long low, bint down, long long k, long long n, double mass) noexcept
