# The kernel of open mixtures in open_mixture_kernel.py, as C.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.line_tree_kernel cimport is_plain
from adeptree._compiled.mixture_kernel cimport MixtureKernel
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport log

@cython.final
cdef class OpenMixtureKernel(MixtureKernel):
    cdef dict places
    cdef list strangers, values, newcomers
    cdef object make, word_of, rows
    cdef long long made_at
    cdef double log_mass
    cdef public double lost0, lost1

    cdef void dismiss(self, Py_ssize_t count) noexcept
