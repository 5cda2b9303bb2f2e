# What the kernels of rules on a line inherit of line_tree_kernel.py, as C.
from adeptree._compiled.round_kernel cimport RoundKernel

cdef double value_of(long long key) noexcept
cdef long long key_of(double value) noexcept
cdef double between(long long low, long long high) noexcept
cpdef object longer(object old, Py_ssize_t size)

cdef class LineTree(RoundKernel):
    cdef public bint floats, whole
    cdef public long long first, last, cells
    cdef public double zeros, charged, nothing
    cdef public Py_ssize_t table
    cdef public Py_ssize_t buckets, nodes, room, parts
    cdef long long[::1] keys, splits, points
    cdef double[::1] gain, mass, part, decay, shares, betas
    cdef int[::1] wrong, contested, counts, child, size, way, order, leaves, pairs, firsts
    cdef double count_share, per_cut
    # Where the point in place lies.
    cdef public long long x
    cdef long long above
    cdef Py_ssize_t depth, bucket, at
    cdef bint cut, guess
    cdef double mass1, mass0

    cdef void locate(self) noexcept
    cdef void find(self, Py_ssize_t v, Py_ssize_t d, long long above) noexcept
    cdef void divide(self) noexcept
    cdef void insert(self) noexcept
    cdef void charge(self, int label, double cost) noexcept
    cdef int lengthen(self) except -1
    cdef void sum_leaf(self, Py_ssize_t v) noexcept
    cdef void sum_node(self, Py_ssize_t v) noexcept
    cdef int make_room(self, Py_ssize_t room) except -1
    cdef void halve(self, Py_ssize_t v) noexcept
    cdef void climb(self) noexcept
    cdef void balance(self) noexcept
    cdef Py_ssize_t list_nodes(self, Py_ssize_t root) noexcept
    cdef void regrow(self, Py_ssize_t root) noexcept
    cdef void sum_all(self, Py_ssize_t found) noexcept
