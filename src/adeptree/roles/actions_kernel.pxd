# What round_kernel.py inherits of actions_kernel.py, as C.
cimport cython

from adeptree._compiled.ledger_kernel cimport mixability_gap
from cpython.pythread cimport PyThread_get_thread_ident as get_ident
from libc.math cimport exp, expm1, log1p

cdef double sigmoid(double odds) noexcept

cdef class Actions:
    cdef public long long busy
    cdef public bint torn
    cdef object lock
    cdef public double eta, p, log_odds, cost1, cost0, handing, weight_acted, lateness, most_picked, q1, r, q, best_rate, beyond_mix
    cdef public int policy

    cpdef double log_ratio(self) noexcept

    @cython.final
    cdef bint wants(self, int action, double coin) noexcept
    @cython.final
    cdef double against(self, int label, double cost) noexcept
    @cython.final
    cdef double handed(self, int label, double cost) noexcept
    @cython.final
    @cython.locals(odds=double, m1=double, m0=double, q0=double, r=double)
    cdef void act(self, bint may_pick) noexcept
    @cython.final
    @cython.locals(middle=double)
    cdef void act_reviewed(self, double a, double b, double c) noexcept
    @cython.final
    cdef double needed(self, double rate, double a, double b, double c) noexcept
    @cython.final
    @cython.locals(one=double)
    cdef void ask_by_chance(self, double a, double b, bint may_ask) noexcept
    @cython.final
    cdef int drawn(self, double coin) noexcept
