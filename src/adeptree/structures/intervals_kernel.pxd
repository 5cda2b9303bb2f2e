# The C types of intervals_kernel.py.
cimport cython
from adeptree._compiled.cuts_kernel cimport CutTree
from libc.math cimport exp, log

@cython.final
cdef class IntervalsKernel(CutTree):
    # The labels at x: the least loss of each, and its weight.
    cdef double loss0, weight0, loss1, weight1
