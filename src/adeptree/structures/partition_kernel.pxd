# The kernel of listed classes, as C: partition_kernel.py.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.mass_kernel cimport Masses
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, log

cdef class RowsKernel(RoundKernel):
    cdef public Py_ssize_t width
    cdef public long long rounds, since
    cdef public double anchor
    cdef double best
    cdef Masses masses
    cdef Py_ssize_t parted
    cdef bint moving  # whether masses change in every round
    cdef public int[::1] mistakes, contested
    cdef public double[::1] losses, log_mass, weight
    cdef double[::1] step, side
    cdef public unsigned char[::1] say

    cdef void answer(self) noexcept
    cdef double log_part(self, Py_ssize_t c, int label) noexcept
    @cython.locals(c=Py_ssize_t)
    cdef double log_side(self, int label) noexcept
    @cython.locals(c=Py_ssize_t)
    cdef void charge_rows(self, int label, double cost) noexcept

cdef class Column:
    cdef readonly object x
    cdef object kind
    cdef unsigned long long word
    cdef unsigned char[::1] bits
    cdef bint entered

@cython.final
cdef class PartitionKernel(RowsKernel):
    cdef public dict columns
    cdef public long long store
    cdef Column column
    cdef object read
    cdef public dict arrays
    cdef object judge
    cdef int guess
    cdef long long concepts
    cdef Py_ssize_t room, deepest
    cdef int[::1] order, start, size, ones
    cdef unsigned char[::1] guesses

    cdef Column found(self, object x)
    @cython.locals(new=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, a=int)
    cdef void divide(self, Py_ssize_t c) noexcept
