# What kernels whose paths are too many for 64 bits use of tally_kernel.py, as C.
cdef class Tally:
    cdef long long[::1] looks
    cdef long long first
    cdef Py_ssize_t cuts
    cdef object total

    cdef void look(self, long long points) noexcept
    cdef int reserve(self, long long points) except -1
    cpdef object add_up(self)
