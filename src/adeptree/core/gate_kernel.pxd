# What other kernels may use of gate_kernel.py, as C.
cdef class Gate:
    cdef object lock
    cdef public long long held, inside
