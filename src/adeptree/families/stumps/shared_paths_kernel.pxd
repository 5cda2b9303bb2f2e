# What the kernel of stumps calls of shared_paths_kernel.py, as C.
from adeptree._compiled.shares_kernel cimport Shares
from adeptree._compiled.stump_line_kernel cimport StumpLine

cimport cython


@cython.final
cdef class SharedPaths:
    cdef Shares shares
    cdef public bint by_count, opening
    cdef public Py_ssize_t rows, cells
    cdef long long[::1] k, n, low, high, x
    cdef double[::1] mass, loss, vote, lean, cuts, masses
    cdef int[::1] row, line, down, can, child, tally

    cpdef int row_room(self, Py_ssize_t room) except -1
    cpdef int cell_room(self, Py_ssize_t room) except -1
    cpdef int line_room(self, Py_ssize_t room) except -1
    cdef int reserve(self) except -1
    cdef void add(self, Py_ssize_t row, Py_ssize_t line, bint down, long long low, long long high) noexcept
    cdef void look(self, StumpLine lead) noexcept
    cdef void divide(self) noexcept
    cdef void add_up(self, StumpLine lead) noexcept
    cdef void take(self, int label, double cost, list lines) noexcept
    cdef void leave(self, list lines) noexcept
    cdef void close_up(self) noexcept
    cdef double lowest(self) noexcept
