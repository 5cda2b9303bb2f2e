# The C types of block_counts_kernel.py.
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport log

cdef class BlockCounts(RoundKernel):
    cdef Py_ssize_t d
    cdef object block_of, word_of
    cdef bint plain
    # The prior.
    cdef Py_ssize_t parts
    cdef long long horizon, bound
    cdef double[::1] shares, betas, central, terms, logs, log_q
    # The blocks, and the point in place.
    cdef readonly dict number
    cdef dict coming
    cdef list points
    cdef object name
    cdef Py_ssize_t at, blocks, room, most
    cdef double[::1] gains
    cdef unsigned long long[::1] words
    cdef readonly long long rounds
    cdef readonly double lost
    # How many sets there are.
    cdef readonly object width
    cdef list sizes
    cdef object asked_before
    # The best of them.
    cdef double surplus
    cdef double[::1] free
    cdef long long[::1] chosen
    cdef Py_ssize_t choices

    cdef int make_room(self, Py_ssize_t room) except -1
    cdef int put(self, object name) except -1
    cdef void weigh(self, Py_ssize_t j) noexcept
    cdef void weigh_sizes(self, long long n) noexcept
    cdef void admit(self) noexcept
    cdef void widen(self) noexcept
    cdef void rank(self, Py_ssize_t j) noexcept
    cdef void offer(self, Py_ssize_t j, double worth) noexcept
    cdef void choose(self) noexcept
    cdef void choose_all(self) noexcept
