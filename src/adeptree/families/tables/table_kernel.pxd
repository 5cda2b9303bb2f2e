# The kernel of tables in table_kernel.py, as C.
cimport cython
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.round_kernel cimport RoundKernel
from adeptree._compiled.values_kernel cimport Values

@cython.final
cdef class Column:
    cdef public LineTree up, down
    cdef public Values values
    cdef public dict places
    cdef public list words
    cdef public double side0, side1
    cdef public bint gaps
    cdef object name, pending
    cdef unsigned long long word

    cdef double apart(self) noexcept
    cdef double side(self) noexcept
    cdef double best(self) noexcept

@cython.final
cdef class TableKernel(RoundKernel):
    cdef public list columns
    cdef object word_of
    cdef double log_prior, lowest
    cdef list cells, coming, given_texts
    cdef double[::1] given
    cdef double[::1] value
    cdef Py_ssize_t[::1] slot
    cdef double one, zero, log_one, log_zero

    cdef void arrive(self) noexcept
    cdef void count_in(self, double least, double log_total, double q) noexcept
    cdef void count_log(self, double least, double log_total, double log_odds) noexcept
