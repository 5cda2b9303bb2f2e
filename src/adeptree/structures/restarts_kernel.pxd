# The kernel of restarts in restarts_kernel.py, as C.
cimport cython
from adeptree._compiled.mixture_kernel cimport MixtureKernel
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, expm1, log, log1p

cdef class RestartsKernel(MixtureKernel):
    cdef object make
    cdef object fresh  # the engine of the next copy
    cdef public list engines, births
    cdef list ends  # the last rounds of the copies, computed before a round: a commit calls nothing in Python
    cdef object end_of_fresh
    cdef public long long clock  # charged rounds
    cdef public double log_z  # minus the mix losses so far, times the rate

    @cython.locals(i=Py_ssize_t)
    cdef double weigh(self) noexcept
