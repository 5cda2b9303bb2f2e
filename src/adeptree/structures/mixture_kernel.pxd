# The kernel of mixtures in mixture_kernel.py, as C.
from adeptree._compiled.ledger_kernel cimport Ledger, mixed, softplus
from adeptree._compiled.mass_kernel cimport log_plus
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, log

cdef class MixtureKernel(RoundKernel):
    cdef public list parts, names, readers, direct, columns
    cdef public bint raw
    cdef public double[::1] log_share
    cdef double[::1] weight
    cdef unsigned long long[::1] words

    cdef void arrive(self) noexcept
    cdef double weigh(self) noexcept
    cdef void look_at_parts(self) noexcept
