# The kernels of segments in segments_kernel.py, as C.
cimport cython
from adeptree._compiled.actions_kernel cimport sigmoid
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger, mixability_gap
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.mixture_kernel cimport MixtureKernel
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, NAN as nan, log, log2

cdef class SegmentsKernel(RoundKernel):
    cdef public RoundKernel part  # the structure of the segment in place
    cdef public dict places
    cdef public list engines
    cdef list parts
    cdef public double[::1] own
    cdef object make, name
    cdef public object by, column
    cdef public Py_ssize_t at
    cdef public bint rated
    cdef public double lost, log_sum, paths, first_rate

    cpdef void visit(self, Py_ssize_t k) noexcept
    cpdef void keep(self) noexcept
    cpdef int rate_each(self) except -1
    cpdef int meet(self, object name) except -1
    cdef int begin(self, Py_ssize_t k) except -1
    cdef int follow_rate(self) except -1
    cdef int slow_down(self) except -1
    cdef void count_out(self) noexcept
    cdef void count_in(self) noexcept
    cdef double price(self) except? -1

@cython.final
cdef class ArenaKernel(SegmentsKernel):
    cdef public LineTree line
    cdef double[::1] kept

@cython.final
cdef class TwoLevelsKernel(MixtureKernel):
    cdef public RoundKernel pooled
    cdef public SegmentsKernel segments
    cdef object price
    cdef public double[::1] own, lost
    cdef double[::1] prices
    cdef public dict said
    cdef double first_rate, floor, odds, first, second
    cdef long long ticket

    cdef void enter_account(self, double[::1] own, Py_ssize_t at, RoundKernel part, double lost, int label, double cost) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef bint slower(self, double[::1] own, Py_ssize_t at, bint each) noexcept
