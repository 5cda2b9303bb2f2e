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
    #define ADEPTREE_DEFINE(name, kind) \\
    ADEPTREE_COUNTS(kind) static Py_ssize_t name(const unsigned long long *a, const unsigned long long *b, \\
                                                 const long long *words, Py_ssize_t n) { \\
        Py_ssize_t i, found = 0; \\
        for (i = 0; i < n; i++) found += ADEPTREE_ONES(a[words[i]] & b[words[i]]); \\
        return found; \\
    }
    ADEPTREE_DEFINE(adeptree_common_anywhere, "sse2")
    ADEPTREE_DEFINE(adeptree_common_counted, "popcnt")
    static Py_ssize_t adeptree_common(const unsigned long long *a, const unsigned long long *b,
                                      const long long *words, Py_ssize_t n) {
    #if defined(__GNUC__) && defined(__x86_64__)
        if (__builtin_cpu_supports("popcnt")) return adeptree_common_counted(a, b, words, n);
    #endif
        return adeptree_common_anywhere(a, b, words, n);
    }
    """
    Py_ssize_t common_ones "adeptree_common"(const word *a, const word *b, const long long *words, Py_ssize_t n) noexcept
    int ones_of "ADEPTREE_ONES"(unsigned long long x) noexcept
    int lowest "ADEPTREE_LOWEST"(unsigned long long x) noexcept

cimport cython

cdef object words(Py_ssize_t size)
cdef object set_of(object ones, Py_ssize_t size)
cdef object int_of(object made)
cdef object moved(word[::1] old, Py_ssize_t sets, Py_ssize_t size, Py_ssize_t room, Py_ssize_t wide)

@cython.final
cdef class LabelTable:
    cdef readonly Py_ssize_t rows, points
    cdef Py_ssize_t used, wide, tall, room, long
    cdef word[::1] columns, bits, everyone
    cdef list known

    cdef int reserve(self, Py_ssize_t rows, Py_ssize_t points) except -1
    cdef void settle(self, Py_ssize_t rows, Py_ssize_t points)
    cdef void add(self, word[::1] sets, Py_ssize_t start, Py_ssize_t i) noexcept
    cdef void mark(self, Py_ssize_t row, Py_ssize_t point) noexcept
    cpdef int label(self, Py_ssize_t row, Py_ssize_t point) noexcept
    cpdef bytes row(self, Py_ssize_t row)
    cpdef bytes labels(self)
    cpdef cube(self, Py_ssize_t row, object columns)
    cdef Py_ssize_t keep(self, word[::1] left, Py_ssize_t point, int label) noexcept
    cdef word alike(self, int label, Py_ssize_t point, Py_ssize_t w) noexcept
    cdef Py_ssize_t common(self, Py_ssize_t point, word[::1] members, long long[::1] words, Py_ssize_t size) noexcept
    cdef Py_ssize_t live(self, word[::1] members, long long[::1] words, Py_ssize_t size) noexcept
    cdef list greedy(self, Py_ssize_t row, object undecided, object positive, Py_ssize_t use)
    cdef void shift(self, long long[::1] counts, Py_ssize_t row, int by) noexcept
    cdef list path(self, Py_ssize_t row, object positive)
    cdef list prime(self, Py_ssize_t row, list chosen, word[::1] included)
