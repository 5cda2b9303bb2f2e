# What round_kernel.py inherits of turns_kernel.py, as C.
cdef class Turns:
    cdef public long long busy
    cdef public bint torn
    cdef object lock
