# The kernel of shared weights on a line in shared_line_kernel.py, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.line_tree_kernel cimport LineTree, between, value_of
from adeptree._compiled.ordered_tree_kernel cimport OrderedTree
from adeptree._compiled.sharing_kernel cimport Window
from libc.math cimport INFINITY as inf, exp, log

@cython.final
cdef class SharedLine(LineTree):
    cdef Py_ssize_t lanes, directions
    cdef Py_ssize_t kinds  # of rules: directions times sides
    cdef Py_ssize_t each  # weights of a gap: lanes times kinds
    cdef bint single
    cdef public double side0, side1  # what the label 0 or 1 has lost in rounds that have no point
    cdef double share
    cdef list windows
    cdef double[::1] weights  # of gaps
    cdef double[::1] node_weights, factors, shifts  # of nodes: the sum, and the map that waits for all that is below
    cdef long long[::1] ring  # the points of the last rounds
    # For a moment: the weight left of x, the map from a node on the way to the root, factors left and right of x.
    cdef double[::1] left, slope, offset, sided, lone

    @cython.final
    cdef void push(self, Py_ssize_t v) noexcept
    @cython.final
    cdef void pass_on(self, Py_ssize_t v, Py_ssize_t j, double factor, double shift) noexcept
    @cython.final
    cdef void pass_down(self, Py_ssize_t v, Py_ssize_t way, Py_ssize_t child) noexcept
    @cython.final
    cdef bint apart(self, Py_ssize_t d) noexcept
    @cython.final
    cdef void look_apart(self, double[::1] one, double[::1] whole) noexcept
    @cython.final
    cdef void take_apart(self, int label, double cost, double[::1] right1, double[::1] right0, Py_ssize_t place) noexcept
    @cython.final
    cdef bint says_apart(self, Py_ssize_t k) noexcept
