# What label_table_kernel.py declares, and counts of bits in C: the processor's own where it has them.
ctypedef unsigned long long word

cdef extern from *:
    """
    #if defined(__GNUC__) && defined(__x86_64__)
    #define ADEPTREE_COUNTS(kind) __attribute__((target(kind)))
    #else
    #define ADEPTREE_COUNTS(kind)
    #endif
    #if defined(__GNUC__)
    #define ADEPTREE_ONES(x) __builtin_popcountll(x)
    #define ADEPTREE_LOWEST(x) __builtin_ctzll(x)
    #else
    static int ADEPTREE_ONES(unsigned long long x) {
        x -= (x >> 1) & 0x5555555555555555ULL;
        x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
        return (int)((((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL) >> 56);
    }
    #define ADEPTREE_LOWEST(x) ADEPTREE_ONES(((x) & (~(x) + 1)) - 1)
    #endif
    /* What two sets have in common, in the words listed, or (where that is as fast) in all of them. */
    #define ADEPTREE_DEFINE(kind, target) \\
    ADEPTREE_COUNTS(target) static Py_ssize_t adeptree_common_##kind( \\
            const unsigned long long *a, const unsigned long long *b, const long long *words, Py_ssize_t n) { \\
        Py_ssize_t i, found = 0; \\
        for (i = 0; i < n; i++) found += ADEPTREE_ONES(a[words[i]] & b[words[i]]); \\
        return found; \\
    } \\
    /* Keep what is in a column, or (for label 0) what is not; return how many are left. */ \\
    ADEPTREE_COUNTS(target) static Py_ssize_t adeptree_keep_##kind( \\
            unsigned long long *a, const unsigned long long *column, int label, Py_ssize_t n) { \\
        Py_ssize_t i, found = 0; \\
        unsigned long long flip = label ? 0 : ~0ULL; \\
        for (i = 0; i < n; i++) { a[i] &= column[i] ^ flip; found += ADEPTREE_ONES(a[i]); } \\
        return found; \\
    } \\
    /* In how many places two sets differ, counted up to a limit. */ \\
    ADEPTREE_COUNTS(target) static Py_ssize_t adeptree_apart_##kind( \\
            const unsigned long long *a, const unsigned long long *b, Py_ssize_t n, Py_ssize_t limit) { \\
        Py_ssize_t i, found = 0; \\
        for (i = 0; i < n && found < limit; i++) found += ADEPTREE_ONES(a[i] ^ b[i]); \\
        return found; \\
    }
    ADEPTREE_DEFINE(anywhere, "sse2")
    #if defined(__GNUC__) && defined(__x86_64__)
    #include <immintrin.h>
    ADEPTREE_DEFINE(counted, "popcnt")
    ADEPTREE_COUNTS("avx512f,avx512vpopcntdq") static Py_ssize_t adeptree_common_wide(
            const unsigned long long *a, const unsigned long long *b, Py_ssize_t n) {
        __m512i found = _mm512_setzero_si512();
        Py_ssize_t i;
        for (i = 0; i + 8 <= n; i += 8)
            found = _mm512_add_epi64(found, _mm512_popcnt_epi64(
                _mm512_and_si512(_mm512_loadu_si512(a + i), _mm512_loadu_si512(b + i))));
        if (i < n) {
            __mmask8 rest = (__mmask8)((1u << (n - i)) - 1);
            found = _mm512_add_epi64(found, _mm512_popcnt_epi64(
                _mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + i), _mm512_maskz_loadu_epi64(rest, b + i))));
        }
        return (Py_ssize_t)_mm512_reduce_add_epi64(found);
    }
    #define ADEPTREE_CALL(f, ...) \\
        (__builtin_cpu_supports("popcnt") ? f##_counted(__VA_ARGS__) : f##_anywhere(__VA_ARGS__))
    #define ADEPTREE_WIDE __builtin_cpu_supports("avx512vpopcntdq")
    #else
    #define ADEPTREE_CALL(f, ...) f##_anywhere(__VA_ARGS__)
    #define ADEPTREE_WIDE 0
    #define adeptree_common_wide(a, b, n) 0
    #endif
    static Py_ssize_t adeptree_common(const unsigned long long *a, const unsigned long long *b,
                                      const long long *words, Py_ssize_t n, Py_ssize_t whole) {
        if (whole <= 4 * n && ADEPTREE_WIDE) return adeptree_common_wide(a, b, whole);
        return ADEPTREE_CALL(adeptree_common, a, b, words, n);
    }
    static Py_ssize_t adeptree_keep(unsigned long long *a, const unsigned long long *c, int label, Py_ssize_t n) {
        return ADEPTREE_CALL(adeptree_keep, a, c, label, n);
    }
    static Py_ssize_t adeptree_apart(const unsigned long long *a, const unsigned long long *b, Py_ssize_t n,
                                     Py_ssize_t limit) {
        return ADEPTREE_CALL(adeptree_apart, a, b, n, limit);
    }
    """
    Py_ssize_t common_ones "adeptree_common"(const word *a, const word *b, const long long *words, Py_ssize_t n,
                                             Py_ssize_t whole) noexcept
    Py_ssize_t kept_ones "adeptree_keep"(word *a, const word *column, int label, Py_ssize_t n) noexcept
    Py_ssize_t apart_ones "adeptree_apart"(const word *a, const word *b, Py_ssize_t n, Py_ssize_t limit) noexcept
    int ones_of "ADEPTREE_ONES"(unsigned long long x) noexcept
    int lowest "ADEPTREE_LOWEST"(unsigned long long x) noexcept

cimport cython

cdef object words(Py_ssize_t size)
cdef object places(Py_ssize_t size)
cdef object set_of(object ones, Py_ssize_t size)
cdef object int_of(object made)
cdef object moved(word[::1] old, Py_ssize_t sets, Py_ssize_t size, Py_ssize_t room, Py_ssize_t wide)

@cython.final
cdef class LabelTable:
    cdef readonly Py_ssize_t rows, points
    cdef Py_ssize_t used, wide, tall, room, long
    cdef word[::1] columns, bits, everyone
    cdef list known
    cdef object sequence

    @cython.locals(tall=Py_ssize_t, room=Py_ssize_t, wide=Py_ssize_t, long=Py_ssize_t)
    cdef int reserve(self, Py_ssize_t rows, Py_ssize_t points) except -1
    cdef void settle(self, Py_ssize_t rows, Py_ssize_t points)
    cdef void add(self, word[::1] sets, Py_ssize_t start, Py_ssize_t i) noexcept
    cdef void mark(self, Py_ssize_t row, Py_ssize_t point) noexcept
    cpdef int label(self, Py_ssize_t row, Py_ssize_t point) noexcept
    @cython.locals(j=Py_ssize_t)
    cpdef bytes row(self, Py_ssize_t row)
    @cython.locals(i=Py_ssize_t)
    cpdef bytes labels(self)
    @cython.locals(j=Py_ssize_t)
    cpdef cube(self, Py_ssize_t row, object columns)
    cdef Py_ssize_t keep(self, word[::1] left, Py_ssize_t point, int label) noexcept
    cdef Py_ssize_t apart(self, Py_ssize_t row, Py_ssize_t other, Py_ssize_t limit) noexcept
    cdef Py_ssize_t common(self, Py_ssize_t point, word[::1] members, long long[::1] words, Py_ssize_t size) noexcept
    @cython.locals(i=Py_ssize_t, left=Py_ssize_t)
    cdef Py_ssize_t live(self, word[::1] members, long long[::1] words, Py_ssize_t size) noexcept
    @cython.locals(i=Py_ssize_t, j=Py_ssize_t, k=Py_ssize_t, open_=Py_ssize_t)
    @cython.locals(best=Py_ssize_t, excluded=Py_ssize_t, lost=Py_ssize_t, label=int)
    @cython.locals(score=double, value=double)
    @cython.locals(ins=Py_ssize_t, ofs=Py_ssize_t)
    cdef list greedy(self, Py_ssize_t row, word[::1] gained, word[::1] included, long long[::1] out,
                     long long[::1] lose, Py_ssize_t left, Py_ssize_t others)
    @cython.locals(j=Py_ssize_t, left=Py_ssize_t)
    cdef Py_ssize_t covered(self, Py_ssize_t row, list columns, word[::1] members)
    @cython.locals(j=Py_ssize_t, size=Py_ssize_t)
    cdef object counts(self, word[::1] members)
    @cython.locals(j=Py_ssize_t)
    cdef void shift(self, long long[::1] counts, Py_ssize_t row, int by) noexcept
    @cython.locals(j=Py_ssize_t, same=Py_ssize_t, size=Py_ssize_t)
    cdef list path(self, Py_ssize_t row, word[::1] included, Py_ssize_t left)
    @cython.locals(w=Py_ssize_t, j=Py_ssize_t)
    cdef list prime(self, Py_ssize_t row, list chosen, object positive)
