# The kernel of listed classes, as C: partition_kernel.py.
from adeptree._compiled.columns_kernel cimport ColumnsKernel
from adeptree._compiled.mass_kernel cimport Masses

cdef class PartitionKernel(ColumnsKernel):
    cdef public dict arrays
    cdef public Py_ssize_t width
    cdef public long long rounds, since
    cdef public double anchor
    cdef double best
    cdef object judge
    cdef Masses masses
    cdef int guess
    cdef long long concepts
    cdef Py_ssize_t room, parted, deepest
    cdef int[::1] order, start, size, ones, mistakes, contested
    cdef double[::1] losses, log_mass, weight, step, side
    cdef unsigned char[::1] say, guesses

    cdef void answer(self) noexcept
    cdef double log_part(self, Py_ssize_t c, int label) noexcept
    cdef double log_side(self, int label) noexcept
    cdef void divide(self, Py_ssize_t c) noexcept
