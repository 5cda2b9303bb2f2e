# What the kernel of tables calls of values_kernel.py, as C.

cdef class SingleValues:
    cdef public Py_ssize_t count
    cdef public double ones, zeros, eta
    cdef public double[::1] gain
    cdef Py_ssize_t size
    cdef double[::1] low, lows, high, highs

    cdef double prior(self, Py_ssize_t slot) noexcept
    cdef double shrunk(self, double loss) noexcept
    cdef int reserve(self) except -1
    cdef void set_leaf(self, Py_ssize_t slot) noexcept
    cdef void climb(self, Py_ssize_t node) noexcept
    cpdef void rebuild(self) noexcept
    cdef void meet(self) noexcept
    cdef void charge(self, Py_ssize_t slot, int label, double cost) noexcept
    cdef double chosen(self, Py_ssize_t slot, bint unequal) noexcept
    cpdef double least(self, bint unequal) noexcept
    cpdef double log_total(self, bint unequal) noexcept
    cdef double log_odds(self, Py_ssize_t slot, bint unequal) noexcept
    cdef double choices(self) noexcept
