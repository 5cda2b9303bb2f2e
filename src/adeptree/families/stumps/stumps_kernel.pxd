# The kernel of stumps in stumps_kernel.py, as C.
cimport cython
from adeptree._compiled.round_kernel cimport RoundKernel
from adeptree._compiled.shared_paths_kernel cimport SharedPaths
from adeptree._compiled.shares_kernel cimport Shares
from adeptree._compiled.stump_line_kernel cimport StumpLine

cdef bint is_plain(object value) except -1

@cython.final
cdef class StumpsKernel(RoundKernel):
    cdef public SharedPaths table
    cdef public Shares shares
    cdef public list lines, names
    cdef StumpLine lead
    cdef list mappings
    cdef dict places, strangers
    cdef object word_of
    cdef bint is_open, given, fresh
    cdef double[::1] cuts, values, coming, points
    cdef long long[::1] ends
    cdef unsigned long long[::1] words
    cdef double best

    cdef StumpLine add_line(self, object name)
    cdef void arrive(self) noexcept
    cdef long long key_at(self, Py_ssize_t f, double value) noexcept
    cdef int meet(self) except -1
    cpdef void find_best(self) noexcept
