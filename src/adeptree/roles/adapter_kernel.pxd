# What adapter_kernel.py declares, as C.
cimport cython
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf

@cython.final
cdef class AdapterKernel(RoundKernel):
    cdef public object structure, point
    cdef double lowest
