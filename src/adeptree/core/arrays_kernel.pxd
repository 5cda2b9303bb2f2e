# What other kernels may call of arrays_kernel.py, as C.
cpdef object longer(object old, Py_ssize_t size)
cpdef object stretched(object old, Py_ssize_t size)

cdef extern from *:
    """
    #if defined(__GNUC__)
    #define adeptree_prefetch(place) __builtin_prefetch(place)
    #else
    #define adeptree_prefetch(place) ((void)(place))
    #endif
    """
    void prefetch "adeptree_prefetch"(const void *place) noexcept  # ask memory for a line, and go on without it
