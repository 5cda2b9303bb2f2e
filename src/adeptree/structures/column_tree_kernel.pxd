# What columns of numbers are to kernels, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport word_of_float
from adeptree._compiled.line_tree_kernel cimport LineTree, is_plain
from adeptree._compiled.mass_kernel cimport log_plus
from libc.math cimport INFINITY as inf, exp, log

cdef class ColumnTree(LineTree):
    cdef double[:] up, down
    cdef long long[::1] firsts_below  # the same memory as ``sums``
    cdef public double built
    cdef double step, less, more, weight_up, weight_down, log_weight
    cdef bint walked

    @cython.locals(v=Py_ssize_t, d=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t, end=Py_ssize_t)
    cdef void walk(self) noexcept
    @cython.locals(level=Py_ssize_t, v=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, at=Py_ssize_t, end=Py_ssize_t)
    cdef void warm_ways(self, Py_ssize_t count) noexcept
    @cython.locals(d=Py_ssize_t)
    cdef long long key_after(self) noexcept
    @cython.locals(found=Py_ssize_t, waiting=Py_ssize_t, v=Py_ssize_t, i=Py_ssize_t)
    cdef Py_ssize_t list_nodes(self, Py_ssize_t root) noexcept
    @cython.locals(to=Py_ssize_t, at=Py_ssize_t, f=Py_ssize_t, i=Py_ssize_t)
    cdef void move_entries(self, Py_ssize_t new, Py_ssize_t old, Py_ssize_t count) noexcept
    @cython.locals(d=Py_ssize_t, i=Py_ssize_t, v=Py_ssize_t, above=Py_ssize_t, new=Py_ssize_t, half=Py_ssize_t)
    cdef void split_nodes(self) noexcept
    @cython.locals(old=Py_ssize_t, low=Py_ssize_t, high=Py_ssize_t)
    cdef void halve(self, Py_ssize_t v) noexcept
    cdef double relative(self, double loss) noexcept
    @cython.locals(first=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t, over=double, up=double, down=double, least=double, fall=double, rising=double, falling=double)
    cdef void add_up(self, Py_ssize_t v) noexcept
    @cython.locals(first=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t, over=double, least=double, fall=double)
    cdef void sum_leaf(self, Py_ssize_t v) noexcept
    @cython.locals(first=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t, over=double, least=double, fall=double)
    cdef void sum_node(self, Py_ssize_t v) noexcept
    @cython.locals(low=double)
    cdef void weigh_root(self) noexcept
    @cython.locals(first=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t, d=Py_ssize_t, up=double, down=double, one_up=double, one_down=double, scale_up=double, scale_down=double)
    cdef void look(self) noexcept
    @cython.locals(i=Py_ssize_t, up=double, down=double, mass=double)
    cdef void take(self, int label, double cost) noexcept
    @cython.locals(i=Py_ssize_t, at=Py_ssize_t, d=Py_ssize_t, up=double, down=double, less=double, more=double, rising=double, falling=double)
    cdef void multiply(self, int label) noexcept
    @cython.locals(first=Py_ssize_t, i=Py_ssize_t, at=Py_ssize_t, d=Py_ssize_t, one=double, zero=double, rise=double, fall=double, up=double, down=double, left=double, right=double)
    cpdef double log_ratio(self) noexcept

@cython.final
cdef class RankedLine(ColumnTree):
    cdef double[::1] cuts, given
    cdef double value

    @cython.locals(low=Py_ssize_t, high=Py_ssize_t, middle=Py_ssize_t)
    cdef void meet(self, double value) noexcept
