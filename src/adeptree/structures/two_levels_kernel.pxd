# The kernel of two levels in two_levels_kernel.py, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport mixability_gap
from adeptree._compiled.mixture_kernel cimport MixtureKernel
from adeptree._compiled.round_kernel cimport RoundKernel
from adeptree._compiled.segments_kernel cimport SegmentsKernel
from libc.math cimport INFINITY as inf, exp, log, log2

cdef double share(double odds) noexcept

@cython.final
cdef class TwoLevelsKernel(MixtureKernel):
    cdef public RoundKernel pooled
    cdef public SegmentsKernel segments
    cdef object price
    cdef public double[::1] own, lost
    cdef double[::1] prices
    cdef public dict said
    cdef double first_rate, floor, odds, first, second
    cdef long long ticket

    cdef void enter_account(self, double[::1] own, Py_ssize_t at, RoundKernel part, double lost, int label, double cost) noexcept
    cdef bint slower(self, double[::1] own, Py_ssize_t at, bint each) noexcept
