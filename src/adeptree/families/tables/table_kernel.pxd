# The kernel of tables in table_kernel.py, as C.
cimport cython
from adeptree._compiled.round_kernel cimport RoundKernel

@cython.final
cdef class TableKernel(RoundKernel):
    cdef public list columns
    cdef object word_of
    cdef double log_prior, lowest
    cdef list cells, coming, given_texts
    cdef dict new_words, given_words
    cdef double[::1] given, value
    cdef Py_ssize_t[::1] slot
    cdef double log_one, log_zero
    cdef bint fresh

    cdef void arrive(self) noexcept
    cdef void weigh(self, bint at_row) noexcept
