# What the kernels of rules with d cuts inherit of cuts_kernel.py, as C.
cimport cython
from adeptree._compiled.line_tree_kernel cimport LineTree
from adeptree._compiled.mass_kernel cimport sets_within
from libc.math cimport exp, log

cdef class CutTree(LineTree):
    cdef public Py_ssize_t d
    cdef double unit, lowest

    cdef double top(self) noexcept
    cdef double scaled(self, double mass) noexcept
