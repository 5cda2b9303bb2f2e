# What round_kernel.py inherits of actions_kernel.py, as C.
cimport cython

cdef class Actions:
    cdef public long long busy
    cdef public bint torn
    cdef object lock
    cdef public double eta, p, log_odds, cost1, cost0, handing, weight_acted, lateness, most_reviews, q1, r, best_rate, floor_cost
    cdef public int policy

    cpdef double log_ratio(self) noexcept

    @cython.final
    cdef double against(self, int label, double cost) noexcept
    @cython.final
    cdef double handed(self, int label, double cost) noexcept
    @cython.final
    cdef void act(self, bint may_review) noexcept
    @cython.final
    cdef void act_reviewed(self, double a, double b, double c) noexcept
    @cython.final
    cdef double needed(self, double rate, double a, double b, double c) noexcept
    @cython.final
    cdef int drawn(self, double coin) noexcept
