# What the kernels of stumps call of shares_kernel.py, as C.
cimport cython

@cython.final
cdef class Shares:
    cdef Py_ssize_t parts
    cdef public Py_ssize_t room, longest, singles
    cdef double[::1] shares, betas, right
    cdef public double per_cut, agree, against

    cdef int make_room(self, Py_ssize_t room) except -1
    cpdef int reserve(self) except -1
    cdef void divide(self, Py_ssize_t k, Py_ssize_t n) noexcept
