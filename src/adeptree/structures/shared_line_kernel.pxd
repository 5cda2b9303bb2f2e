# The kernel of shared weights on a line in shared_line_kernel.py, as C.
cimport cython

from adeptree._compiled.line_tree_kernel cimport LineTree

cdef class SharedLine(LineTree):
    cdef Py_ssize_t lanes, directions
    cdef Py_ssize_t each  # weights of a gap: lanes times directions
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
