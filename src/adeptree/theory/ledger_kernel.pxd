# What other kernels may call of ledger_kernel.py, as C.
cimport cython
from libc.math cimport exp, expm1, fabs, floor, fmod, log1p

cpdef double mixability_gap(double loss, double log_odds, double rate, double weight) noexcept
cpdef unsigned long long mixed(unsigned long long z) noexcept
cpdef double coin(unsigned long long seed, long long t, unsigned long long word) noexcept
cdef double softplus(double z) noexcept
cdef unsigned long long bits_of(double x) noexcept
cpdef unsigned long long word_of_float(double x) noexcept

@cython.final
cdef class Ledger:
    cdef public long long rounds, answered, overlaps, waiting, picked, longest_delay
    cdef public double expected_loss, realised_loss, variance, excess, drift, heaviest, last_rate, loss_of_zeros, loss_of_ones, beyond_mix, missed, alarmed
    cdef public bint late, weighed
    cdef public double own_gap
    cdef double last_cost, shrink

    cpdef void answer(self, bint picked, double beyond, bint unseen) noexcept
    cpdef void delayed(self, long long overlaps) noexcept
    cpdef void charge(self, double p, double r, int action, int label, double cost, double handed, double now, double log_odds, double rate) noexcept
