/* Points of Sobol's sequence. */
#include "sweep/random.h"

/* Degree s and inner coefficients a of the primitive polynomial of a dimension, and its first s numbers m (Joe and Kuo
 * 2008, the set for 21201 dimensions). Dimension 0 needs none. */
static const struct {
    unsigned s, a;
    uint32_t m[8];
} joe_kuo[SWEEP_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
};

uint32_t dal_sweep_sobol_plain(uint32_t index, int dimension)
{
    uint32_t v[32] = {0}, x = 0;
    for (unsigned i = 0; i < 32 && index >> i != 0; ++i) {
        if (dimension == 0) {
            v[i] = (uint32_t)1 << (31 - i);
        } else if (i < joe_kuo[dimension - 1].s) {
            v[i] = joe_kuo[dimension - 1].m[i] << (31 - i);
        } else {
            const unsigned s = joe_kuo[dimension - 1].s;
            v[i] = v[i - s] ^ v[i - s] >> s;
            for (unsigned k = 1; k < s; ++k) {
                v[i] ^= (joe_kuo[dimension - 1].a >> (s - 1 - k) & 1) * v[i - k];
            }
        }
        x ^= (index >> i & 1) * v[i];
    }
    return x;
}

static uint32_t reversed(uint32_t x)
{
    uint32_t y = 0;
    for (int i = 0; i < 32; ++i) {
        y = y << 1 | (x >> i & 1);
    }
    return y;
}

double dal_sweep_sobol(uint64_t seed, uint64_t index, int dimension)
{
    // each bit is changed as the bits above it tell: with the order of bits reversed, products do that
    uint32_t x = reversed(dal_sweep_sobol_plain((uint32_t)index, dimension));
    x += (uint32_t)dal_sweep_bits(seed, STREAM_SCRAMBLE, 0, (uint32_t)dimension);
    x ^= x * 0x6C50B47Cu;
    x ^= x * 0xB82F1E52u;
    x ^= x * 0xC7AFE638u;
    x ^= x * 0x8D22F6E6u;
    return ((double)reversed(x) + 0.5) * 0x1p-32;
}
