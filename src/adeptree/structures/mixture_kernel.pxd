# The kernel of mixtures in mixture_kernel.py, as C.
from adeptree._compiled.round_kernel cimport RoundKernel

cdef class MixtureKernel(RoundKernel):
    cdef public list parts, names
    cdef list readers
    cdef public double[::1] log_share
    cdef double[::1] weight
    cdef unsigned long long[::1] words

    cdef void arrive(self) noexcept
    cdef double weigh(self) noexcept
