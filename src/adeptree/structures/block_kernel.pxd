# The C types of block_kernel.py.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.mass_kernel cimport log_plus, sets_within
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport exp, floor, ldexp, log, log2

@cython.final
cdef class BlocksKernel(RoundKernel):
    cdef Py_ssize_t d
    cdef object block_of, word_of
    cdef bint plain
    # The prior.
    cdef Py_ssize_t parts
    cdef long long horizon, bound
    cdef double[::1] shares, betas, central, terms, logs, last
    # The blocks, and the point in place.
    cdef readonly dict number
    cdef dict coming
    cdef object name
    cdef Py_ssize_t at, blocks, room, most
    cdef double[::1] gains
    cdef unsigned long long[::1] words
    cdef readonly long long rounds
    cdef readonly double lost
    # How many sets there are.
    cdef long long width
    # The best of them.
    cdef double surplus
    cdef double[::1] free
    cdef long long[::1] chosen
    cdef Py_ssize_t choices

    # The tree, and the way down to the point in place.
    cdef Py_ssize_t polynomials, levels, way, unit, finger, good, massed, paired
    cdef long long[::1] start, length
    cdef double[::1] M, X
    # Numbers M e^(X L).
    cdef double quantum, log_radix, radix, less, high, low

    cdef int make_room(self, Py_ssize_t room) except -1
    cdef int put(self, object name) except -1
    cdef void weigh_sizes(self, long long n) noexcept
    cdef double last_mass(self, long long n) noexcept
    cdef void admit(self) noexcept
    cdef void rank(self, Py_ssize_t j) noexcept
    cdef void offer(self, Py_ssize_t j, double worth) noexcept
    cdef void choose(self) noexcept
    cdef void choose_all(self) noexcept
    cdef void weigh(self, Py_ssize_t j) noexcept
    cdef void make_leaves(self, Py_ssize_t j) noexcept
    cdef void put_number(self, Py_ssize_t at, double gain, double log_factor) noexcept
    cdef void multiply(
        self,
        Py_ssize_t out,
        Py_ssize_t low,
        Py_ssize_t high,
        Py_ssize_t a,
        Py_ssize_t degree_a,
        Py_ssize_t b,
        Py_ssize_t degree_b,
        bint more,
    ) noexcept
    cdef Py_ssize_t node(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef Py_ssize_t row(self, Py_ssize_t h, Py_ssize_t which) noexcept
    cdef Py_ssize_t degree(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef void set_node(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef void step_down(self, Py_ssize_t h, Py_ssize_t i) noexcept
    cdef void set_masses(self, long long n) noexcept
