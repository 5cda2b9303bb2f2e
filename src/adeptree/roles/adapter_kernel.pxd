# What adapter_kernel.py declares, as C.
from adeptree._compiled.round_kernel cimport RoundKernel

cdef class AdapterKernel(RoundKernel):
    cdef public object structure, point, key
    cdef double lowest
