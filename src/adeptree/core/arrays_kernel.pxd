# What other kernels may call of arrays_kernel.py, as C.
cpdef object longer(object old, Py_ssize_t size)
