# What kernels over buckets in order inherit of ordered_tree_kernel.py, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.round_kernel cimport RoundKernel

cdef class OrderedTree(RoundKernel):
    cdef public long long cells
    cdef public Py_ssize_t nodes, room, node_room, units, root, smallest
    cdef long long[:] keys, splits
    cdef double[::1] sums
    cdef long long[::1] points, coming
    cdef int[::1] ways
    cdef Py_ssize_t stride, base, first_way, ways_known, last_level
    cdef int[::1] spare, counts, child, size, way, order, leaves, pairs, firsts
    cdef Py_ssize_t depth, bucket, at

    cdef void sum_leaf(self, Py_ssize_t v) noexcept
    cdef void sum_node(self, Py_ssize_t v) noexcept
    cdef int make_room(self, Py_ssize_t room, Py_ssize_t nodes) except -1
    cdef Py_ssize_t block(self, Py_ssize_t units) noexcept
    cdef void release(self, Py_ssize_t u, Py_ssize_t units) noexcept
    cdef void copy_slots(self, Py_ssize_t new, Py_ssize_t old, Py_ssize_t count) noexcept
    cdef void widen(self) noexcept
    @cython.locals(i=Py_ssize_t, v=Py_ssize_t, child=Py_ssize_t, pair=Py_ssize_t)
    cdef void warm_ways(self, Py_ssize_t count) noexcept
    cdef Py_ssize_t set_out(self, long long x) noexcept
    cdef void warm_bucket(self, Py_ssize_t bucket) noexcept
    cdef void halve(self, Py_ssize_t v) noexcept
    @cython.locals(d=Py_ssize_t)
    cdef void climb(self) noexcept
    cdef void sum_way(self, Py_ssize_t depth) noexcept
    @cython.locals(d=Py_ssize_t, v=Py_ssize_t, larger=Py_ssize_t)
    cdef void balance(self) noexcept
    @cython.locals(v=Py_ssize_t)
    cdef Py_ssize_t list_nodes(self, Py_ssize_t root) noexcept
    @cython.locals(i=Py_ssize_t, v=Py_ssize_t, a=Py_ssize_t, half=Py_ssize_t, leaves=Py_ssize_t, pairs=Py_ssize_t)
    cdef void regrow(self, Py_ssize_t root) noexcept
    cdef void sum_all(self, Py_ssize_t found) noexcept
