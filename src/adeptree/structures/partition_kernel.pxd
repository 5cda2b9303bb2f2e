# The kernel of listed classes, as C: partition_kernel.py.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport Ledger
from adeptree._compiled.mass_kernel cimport Masses
from adeptree._compiled.round_kernel cimport RoundKernel
from libc.math cimport INFINITY as inf, exp, log

cdef class Column:
    cdef readonly object x
    cdef object kind
    cdef unsigned long long word
    cdef unsigned char[::1] bits
    cdef bint entered

@cython.final
cdef class PartitionKernel(RoundKernel):
    cdef public dict columns
    cdef public long long store
    cdef Column column
    cdef object read
    cdef public dict arrays
    cdef public Py_ssize_t width
    cdef public long long rounds, since
    cdef public double anchor
    cdef double best
    cdef object judge
    cdef Masses masses
    cdef int guess
    cdef long long concepts
    cdef Py_ssize_t room, parted, deepest
    cdef int[::1] order, start, size, ones, mistakes, contested
    cdef double[::1] losses, log_mass, weight, step, side
    cdef unsigned char[::1] say, guesses

    cdef Column found(self, object x)
    @cython.locals(c=Py_ssize_t, i=Py_ssize_t, a=Py_ssize_t, ones=int, size=int)
    cdef void answer(self) noexcept
    @cython.locals(size=double)
    cdef double log_part(self, Py_ssize_t c, int label) noexcept
    @cython.locals(c=Py_ssize_t, z=double)
    cdef double log_side(self, int label) noexcept
    @cython.locals(a=int)
    cdef void divide(self, Py_ssize_t c) noexcept
