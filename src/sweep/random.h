/* Random numbers that depend on nothing but their address: seed, stream, index, dimension. Whoever asks for number
 * (index, dimension) gets the same bits, in any order, in any thread, on any machine: the generator is counter-based
 * (Philox4x32 with 10 rounds: Salmon, Moraes, Dror, Shaw 2011), and the functions below use nothing of libm but square
 * roots and exact scalings. */
#ifndef DAL_SWEEP_RANDOM_H
#define DAL_SWEEP_RANDOM_H

#include <stdint.h>

/* What numbers are used for: streams never meet. */
enum { STREAM_POINTS, STREAM_STRATA, STREAM_JITTER, STREAM_SCRAMBLE, STREAM_BOOTSTRAP };

typedef struct sweep_word4 {
    uint32_t w[4];
} sweep_word4;

sweep_word4 dal_sweep_philox(sweep_word4 counter, uint32_t k0, uint32_t k1);

/* 64 random bits; a number in (0, 1), a multiple of 2^-53. */
uint64_t dal_sweep_bits(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension);
double dal_sweep_uniform(uint64_t seed, uint32_t stream, uint64_t index, uint32_t dimension);
/* Where index stands in a random permutation of 0 .. n - 1, one for each dimension. No memory: a Feistel network on the
 * smallest square power of two, walked until it falls below n. */
uint64_t dal_sweep_permuted(uint64_t seed, uint64_t index, uint64_t n, uint32_t dimension);

/* Sobol's sequence with the direction numbers of Joe and Kuo (2008), scrambled after Owen by a hash (Burley 2020).
 * index < 2^32. A number in (0, 1), an odd multiple of 2^-33. */
enum { SWEEP_SOBOL_DIMENSIONS = 40 };
double dal_sweep_sobol(uint64_t seed, uint64_t index, int dimension);
uint32_t dal_sweep_sobol_plain(uint32_t index, int dimension); /* before scrambling, times 2^32 */

/* Natural logarithm (x > 0) and exponential, below 1 ulp; the quantile of the standard normal distribution (Wichura 1988,
 * AS 241), relative error 1e-15, and its distribution function. */
double dal_sweep_log(double x);
double dal_sweep_exp(double x);
double dal_sweep_normal_quantile(double u);
double dal_sweep_normal_below(double z);

#endif
