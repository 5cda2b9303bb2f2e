# The kernel of fixed share in sharing_kernel.py, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, log, log1p

@cython.final
cdef class SharingKernel(RoundKernel):
    cdef RoundKernel inner
    cdef list leaves
    cdef Py_ssize_t lanes, followers
    cdef double[::1] rates, shares
    cdef long long[::1] spans
    cdef double unit, part  # what a round costs at most
    cdef public long long clock  # charged rounds
    cdef long long next  # the round in which the window of all rounds is brought up to date
    cdef double[::1] log_scale  # ln of the weight of each lane, which is kept as 1
    cdef double[::1] followed  # weights of followers
    cdef int[::1] labels  # of the last rounds,
    cdef double[::1] costs
    cdef int[::1] chosen  # the leaf of the cheapest rule of each window
    cdef int[::1] votes  # what followers say at the point in place
    cdef double[::1] beyond  # per rate the sum of l - ln(1 + rate l)/rate, l the loss of a round in units
    cdef double spread  # the sum of max(l, 1 - l)^2
    cdef double[::1] one, whole, right1, right0, mix

    cdef void arrive(self) noexcept
    @cython.locals(i=Py_ssize_t, loss=double)
    cdef void refresh_all(self, Py_ssize_t k, long long since, long long until) noexcept
    @cython.locals(i=Py_ssize_t, k=Py_ssize_t, share=double, weight=double)
    cdef void deal_out(self) noexcept

cdef long long step(long long span) noexcept

cdef class Window:
    cdef readonly Py_ssize_t span
    cdef Py_ssize_t count, fresh, half
    cdef readonly Py_ssize_t room
    cdef long long[::1] keys, rounds
    cdef double[::1] gains
    cdef double loss
    cdef public double side0, side1  # what the label 0 or 1 has lost in rounds that have no point
    cdef public bint rises
    cdef public long long low, high  # the points around the best cut

    cpdef int grow(self, Py_ssize_t room) except -1
    @cython.final
    cdef void enter(self, long long key, double gain, long long t) noexcept
    @cython.final
    cdef void merge(self, long long until) noexcept
    @cython.final
    cdef void choose(self, bint falls, bint single) noexcept
