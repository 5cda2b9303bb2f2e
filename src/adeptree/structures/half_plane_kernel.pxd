# The kernel of half-planes, as C: half_plane_kernel.py.
cimport cython
from adeptree._compiled.arrays_kernel cimport longer
from adeptree._compiled.ledger_kernel cimport mixed
from adeptree._compiled.mass_kernel cimport Masses
from adeptree._compiled.partition_kernel cimport RowsKernel
from libc.math cimport fabs, log

@cython.final
cdef class HalfPlaneKernel(RowsKernel):
    cdef public dict arrays
    cdef public list points
    cdef public Py_ssize_t number, events, parts
    cdef public int narrowed
    cdef public unsigned long long salt
    cdef object read, word_of, raw
    cdef Py_ssize_t at, room, groups
    cdef double size_x, size_y, x_now, y_now, slack, floor, rough_x, rough_y
    cdef int grade, grade_now
    cdef double[::1] shares, betas
    # One entry per row.
    cdef public double[::1] normal_x, normal_y, part
    cdef public int[::1] through, before, after
    cdef public unsigned char[::1] closed
    cdef public unsigned long long[::1] hashes
    # One entry per point; one per direction for gaps.
    cdef public double[::1] px, py, ux, uy, angle, gap_x, gap_y
    cdef public int[::1] gap_before, gap_after
    cdef public unsigned char[::1] turned
    cdef public unsigned long long[::1] marks
    # The points in the order of their directions, and the start of each group; hash and row of every gap.
    cdef int[::1] order, first, row
    cdef unsigned long long[::1] keys
    # One entry per event.
    cdef public int[::1] came
    cdef public unsigned char[::1] labels
    cdef public double[::1] costs, rates

    @cython.locals(x=double, y=double, r=Py_ssize_t, j=Py_ssize_t, dx=double, dy=double, wx=double, wy=double, s=double)
    cdef int sides(self) except -1
    cdef int exact_side(self, Py_ssize_t r) except -1
    @cython.locals(i=int)
    cpdef object line(self, Py_ssize_t r)
    @cython.locals(n=Py_ssize_t, x=double, y=double, i=Py_ssize_t, j=Py_ssize_t, dx=double, dy=double, below=bint)
    cdef int sort_directions(self) except -1
    @cython.locals(c=double, far=double, sign=int)
    cdef int across(self, Py_ssize_t i, Py_ssize_t j) except -2
    @cython.locals(g=Py_ssize_t, i=Py_ssize_t, j=Py_ssize_t, ax=double, ay=double, bx=double, by=double, most=double, wide=bint, exact=bint)
    cdef int divide_turn(self) except -1
    @cython.locals(half=Py_ssize_t, count=Py_ssize_t, size=Py_ssize_t, found=Py_ssize_t, g=Py_ssize_t, i=Py_ssize_t, r=Py_ssize_t)
    @cython.locals(mask='unsigned long long', here='unsigned long long', every='unsigned long long')
    cdef bint match(self) except -1
    @cython.locals(i=Py_ssize_t, total=double)
    cdef double share(self, Py_ssize_t r, bint wrong) noexcept
    @cython.locals(k=double, n=double)
    cdef double share_of_part(self, Py_ssize_t r, Py_ssize_t i, bint wrong) noexcept
    @cython.locals(new=Py_ssize_t, i=Py_ssize_t, sign=int, wrong=double, kept=double, here=double)
    cdef void divide(self, Py_ssize_t r, Py_ssize_t g) noexcept
