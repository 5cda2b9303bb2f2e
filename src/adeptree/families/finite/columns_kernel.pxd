# What kernels with columns inherit of columns_kernel.py, as C.
from adeptree._compiled.round_kernel cimport RoundKernel

cdef class Column:
    cdef readonly object x
    cdef object kind
    cdef unsigned long long word
    cdef unsigned char[::1] bits
    cdef bint entered

cdef class ColumnsKernel(RoundKernel):
    cdef public dict columns
    cdef public list points
    cdef public long long store
    cdef Column column
    cdef object read
    cdef long long bits
    cdef bint asks

    cdef Column found(self, object x)
    cdef bint at_once(self, object x) except -1
