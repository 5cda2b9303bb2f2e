# What the kernels of rules with d cuts inherit of cut_tree_kernel.py, as C.
from adeptree._compiled.line_tree_kernel cimport LineTree
from libc.math cimport exp, log

cdef class CutTree(LineTree):
    cdef public Py_ssize_t d
    cdef double unit, lowest
    cdef long long[::1] looks
    cdef long long first_look
    cdef object asked_before

    cdef double top(self) noexcept
    cdef double scaled(self, double mass) noexcept
