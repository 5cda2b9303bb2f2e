# The kernels of mixtures in mixture_kernel.py, as C.
from adeptree._compiled.round_kernel cimport RoundKernel

cdef bint is_plain(object value) except -1

cdef class MixtureKernel(RoundKernel):
    cdef public list parts, names
    cdef list readers
    cdef public double[::1] log_share
    cdef double[::1] weight
    cdef unsigned long long[::1] words

    cdef void arrive(self) noexcept
    cdef double weigh(self) noexcept

cdef class OpenMixtureKernel(MixtureKernel):
    cdef dict places
    cdef list strangers, values, newcomers
    cdef object make, word_of, rows
    cdef long long made_at
    cdef double log_mass
    cdef public double lost0, lost1

    cdef void dismiss(self, Py_ssize_t count) noexcept
