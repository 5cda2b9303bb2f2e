# What the kernels of stumps call of shares_kernel.py, as C.
cimport cython
from adeptree._compiled.mass_kernel cimport Masses

@cython.final
cdef class Shares(Masses):
    cdef public Py_ssize_t longest, singles
    cdef public double per_cut, agree, against

    cdef void divide(self, Py_ssize_t k, Py_ssize_t n) noexcept
