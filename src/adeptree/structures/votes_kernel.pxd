# The kernel of a vote in votes_kernel.py, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport Ledger, softplus, word_of_float
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, log

@cython.final
cdef class VoteKernel(RoundKernel):
    cdef public double cut, lost, zeros, ones
    cdef double score
    cdef public bint ever_missing
    cdef bint missing
    cdef Py_ssize_t lanes
    cdef double share
    cdef long long[::1] spans
    cdef public double[::1] weights, of_windows
    cdef public int[::1] ring

    cdef int vote(self, int gap) noexcept

    cdef void put(self, bint missing, double score) noexcept
