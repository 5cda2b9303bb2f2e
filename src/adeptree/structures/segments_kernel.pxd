# The kernel of segments in segments_kernel.py, as C.
cimport cython
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.round_kernel cimport RoundKernel

@cython.final
cdef class SegmentsKernel(RoundKernel):
    cdef public LineTree line
    cdef public dict places
    cdef double[::1] kept
    cdef object name, batch
    cdef Py_ssize_t at
    cdef public double lost, log_sum, paths

    cpdef void visit(self, Py_ssize_t k) noexcept
    cpdef void keep(self) noexcept
    cpdef int meet(self, object name) except -1
    cdef int begin(self, Py_ssize_t k) except -1
