# What the kernels of rules on a line inherit of line_tree_kernel.py, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer, stretched
from adeptree._compiled.ledger_kernel cimport word_of_float
from adeptree._compiled.ordered_tree_kernel cimport OrderedTree
from libc.math cimport INFINITY as inf, exp, floor, isfinite

cdef double value_of(long long key) noexcept
cdef long long key_of(double value) noexcept
cdef double between(long long low, long long high) noexcept
cdef bint is_plain(object value) except -1

cdef class LineTree(OrderedTree):
    cdef public bint floats, whole
    cdef bint alone
    cdef public LineTree lead
    cdef public long long first, last
    cdef public double zeros, charged, nothing, longest
    cdef public double clock, log_z  # of a line whose best rule may change: charged rounds, and ln of its weight
    cdef public Py_ssize_t table, parts
    cdef Py_ssize_t words
    cdef long long[::1] held  # all that slots hold but several parts; the columns below are views of it
    cdef double[:] gain, mass, part
    cdef int[:] wrong, contested
    cdef double[::1] decay, shares, betas, upto, beyond
    cdef double count_share, per_cut
    # Where the point in place lies.
    cdef public long long x
    cdef long long above
    cdef bint cut, guess
    cdef double mass1, mass0

    @cython.locals(i=Py_ssize_t)
    cdef void sow(self, Py_ssize_t v) noexcept
    @cython.locals(v=Py_ssize_t)
    cpdef Py_ssize_t new_root(self) except -1
    cdef void aim(self, long long x) noexcept
    cdef void walk(self) noexcept
    cdef long long key_after(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void locate(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void divide(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef void insert(self) noexcept
    cdef void charge(self, int label, double cost) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef double shrunk(self, double loss) noexcept
    cdef void sum_again(self) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef int lengthen(self) except -1
    cdef double floor(self, Py_ssize_t v, bint falls) noexcept
    cdef double over_of(self, Py_ssize_t v) noexcept
    cdef bint heavier(self, Py_ssize_t i, Py_ssize_t j) noexcept
