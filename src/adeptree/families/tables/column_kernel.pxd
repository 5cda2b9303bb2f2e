# What the kernel of tables calls of column_kernel.py, as C.
cimport cython
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.values_kernel cimport Values

@cython.final
cdef class Column:
    cdef public LineTree line
    cdef public Values values
    cdef public dict places
    cdef public list words
    cdef public double side0, side1
    cdef public bint gaps
    cdef object name, lookup, pending
    cdef unsigned long long word

    cpdef double least(self, int k) noexcept
    cdef double log_total(self, int k, double eta) noexcept
    cdef double share(self, int k, Py_ssize_t slot, double eta) noexcept
    cdef double log_odds(self, int k, Py_ssize_t slot, double eta) noexcept
    cdef void look(self, double value) noexcept
    cdef void warm(self, double[::1] given, Py_ssize_t first, Py_ssize_t stop, Py_ssize_t step) noexcept
    cdef void take(self, Py_ssize_t slot, int label, double cost) noexcept
    cdef int reserve(self, Py_ssize_t slot, object cell, object word_of) except -1
    cdef double count(self) noexcept
    cdef void rebuild(self, double eta) noexcept
