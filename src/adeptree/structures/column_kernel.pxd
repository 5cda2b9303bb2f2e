# The kernel of a column in column_kernel.py, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport Ledger, softplus, word_of_float
from adeptree._compiled.line_tree_kernel cimport LineTree, is_plain, key_of
from adeptree._compiled.mass_kernel cimport log_plus
from adeptree._compiled.round_kernel cimport RoundKernel
from adeptree._compiled.shared_line_kernel cimport SharedLine
from adeptree._compiled.value_sets_kernel cimport ValueSets
from libc.math cimport INFINITY as inf, exp, log, log1p

@cython.final
cdef class ColumnKernel(RoundKernel):
    cdef public LineTree line
    cdef public ValueSets values
    cdef public SharedLine singles  # None unless the best rule may change
    cdef public int[::1] picked
    cdef public dict places
    cdef public list words
    cdef public double side0, side1
    cdef public bint gaps
    cdef dict new_words
    cdef object word_of, pending, cell, texts
    cdef bint fresh
    cdef double value, total, lowest
    cdef Py_ssize_t slot
    cdef double[::1] numbers, weight

    cdef void meet_number(self, double value) noexcept
    @cython.locals(slot=Py_ssize_t)
    cdef int meet_value(self, object cell) except -1
    cdef bint has_word(self, object cell) except -1
    cpdef double least_of(self, int k) noexcept
    cdef double log_total_of(self, int k) noexcept
    @cython.locals(q=double)
    cdef double share_of(self, int k) noexcept
    @cython.locals(odds=double)
    cdef double log_odds_of(self, int k) noexcept
    @cython.locals(k=int)
    cdef double weigh(self) noexcept
    @cython.locals(k=int, loss=double)
    cdef void find_least(self) noexcept
    cdef void charge(self, int label, double cost) noexcept
