# The C types of steps_kernel.py.
cimport cython
from adeptree._compiled.ledger_kernel cimport softplus
from adeptree._compiled.line_tree_kernel cimport LineTree
from libc.math cimport exp, expm1, log, log1p

@cython.final
cdef class StepsKernel(LineTree):
    cdef double rate_of_cuts
    cdef public double log_weight

    cdef double flip(self, double mass) noexcept
    cdef void keep(self, Py_ssize_t v, double a, double b, double c, double d, double lead) noexcept
