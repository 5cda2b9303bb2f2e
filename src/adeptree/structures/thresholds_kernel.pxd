# The C types of thresholds_kernel.py.
cimport cython
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.mass_kernel cimport log_plus
from libc.math cimport INFINITY as inf, fabs, log

@cython.final
cdef class ThresholdsKernel(LineTree):
    cdef long long T, M
    cdef Py_ssize_t columns
    # Of the slots of a bucket: e^(-eta (loss - least)), times the prior mass but the paper's; that least; 1s minus 0s.
    cdef double[::1] weight
    cdef double low, over
    cdef double[::1] row

    cdef void weigh_slots(self, Py_ssize_t first, Py_ssize_t count) noexcept
    @cython.locals(i=Py_ssize_t)
    cdef double weigh(self, Py_ssize_t v) noexcept
    @cython.locals(j='long long')
    cdef void fill_row(self) noexcept
    @cython.locals(total=double, other=double)
    cdef double sum_slots(self, Py_ssize_t first, Py_ssize_t begin, Py_ssize_t end) noexcept
