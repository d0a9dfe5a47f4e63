/* Numbers that are the same on every machine, and what they are good for. */
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "sweep/random.h"

/* Known answers of Random123 (Salmon et al. 2011). */
static void philox_gives_the_known_answers(void **state)
{
    static const struct {
        uint32_t c[4], k[2], want[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < LEN(known); ++i) {
        sweep_word4 c;
        memcpy(c.w, known[i].c, sizeof c.w);
        c = dal_sweep_philox(c, known[i].k[0], known[i].k[1]);
        assert_memory_equal(c.w, known[i].want, sizeof c.w);
    }
}

static void uniform_numbers_are_inside_and_even(void **state)
{
    enum { N = 100000 };
    double mean = 0.0, square = 0.0;
    for (uint64_t i = 0; i < N; ++i) {
        const double u = dal_sweep_uniform(7, STREAM_POINTS, i, 3);
        assert_true(u > 0.0 && u < 1.0);
        mean += u / N;
        square += u * u / N;
    }
    assert_near(mean, 0.5, 4.0 * 0.2887 / sqrt(N));
    assert_near(square, 1.0 / 3.0, 4.0 * 0.2981 / sqrt(N));
}

static void permutations_hit_every_place_once(void **state)
{
    static const uint64_t size[] = {1, 2, 3, 7, 64, 100, 1000};
    for (size_t i = 0; i < LEN(size); ++i) {
        unsigned char hit[1000] = {0};
        for (uint64_t k = 0; k < size[i]; ++k) {
            const uint64_t p = dal_sweep_permuted(42, k, size[i], 5);
            assert_true(p < size[i]);
            assert_int_equal(hit[p]++, 0);
        }
    }
}

static void logarithm_and_exponential_agree_with_libm(void **state)
{
    check_rng rng = check_rng_seed(3);
    for (int i = 0; i < 20000; ++i) {
        const double x = exp(check_uniform(&rng, -600.0, 600.0)), y = check_uniform(&rng, -600.0, 600.0);
        assert_near_rel(dal_sweep_log(x), log(x), 4e-16);
        assert_near_rel(dal_sweep_exp(y), exp(y), 4e-16);
    }
    assert_true(dal_sweep_log(1.0) == 0.0 && dal_sweep_exp(0.0) == 1.0);
}

static void normal_quantile_inverts_the_distribution(void **state)
{
    check_rng rng = check_rng_seed(4);
    for (int i = 0; i < 5000; ++i) {
        const double u = i % 2 ? check_uniform(&rng, 0.0, 1.0) : exp(check_uniform(&rng, -36.0, -0.1));
        const double z = dal_sweep_normal_quantile(u);
        assert_near_rel(0.5 * erfc(-z / sqrt(2.0)), u, 1e-13 * (1.0 + z * z));
    }
    assert_true(dal_sweep_normal_quantile(0.5) == 0.0);
    assert_near(dal_sweep_normal_below(1.0), 0.84134474606854293, 1e-15);
    assert_near(dal_sweep_normal_below(-2.0), 0.02275013194817921, 1e-15);
    assert_true(dal_sweep_normal_below(10.0) == 1.0 && dal_sweep_normal_below(-40.0) == 0.0);
}

/* The sequence in its first dimensions, as printed in many places. */
static void sobol_begins_as_printed(void **state)
{
    static const double want[8][3] = {{0.0, 0.0, 0.0},       {0.5, 0.5, 0.5},       {0.25, 0.75, 0.75},
                                      {0.75, 0.25, 0.25},    {0.125, 0.625, 0.375}, {0.625, 0.125, 0.875},
                                      {0.375, 0.375, 0.625}, {0.875, 0.875, 0.125}};
    for (uint32_t i = 0; i < 8; ++i) {
        for (int d = 0; d < 3; ++d) {
            assert_near(dal_sweep_sobol_plain(i, d) * 0x1p-32, want[i][d], 0.0);
        }
    }
}

/* Each of the first 2^k numbers of a dimension lies in an interval of its own of length 2^-k: before scrambling and after.
 * This is what wrong direction numbers break. */
static void sobol_fills_every_interval(void **state)
{
    for (int d = 0; d < SWEEP_SOBOL_DIMENSIONS; ++d) {
        unsigned char plain[1024] = {0}, scrambled[1024] = {0};
        for (uint32_t i = 0; i < 1024; ++i) {
            ++plain[dal_sweep_sobol_plain(i, d) >> 22];
            ++scrambled[(int)(dal_sweep_sobol(9, i, d) * 1024.0)];
        }
        for (int k = 0; k < 1024; ++k) {
            assert_int_equal(plain[k], 1);
            assert_int_equal(scrambled[k], 1);
        }
    }
}

/* Pairs of neighbouring dimensions fill 16 x 16 squares with 16 points each, but for two pairs (of t-value 9). */
static void sobol_pairs_fill_squares(void **state)
{
    int uneven = 0;
    for (int d = 0; d + 1 < SWEEP_SOBOL_DIMENSIONS; ++d) {
        int hit[16][16] = {{0}}, even = 1;
        for (uint32_t i = 0; i < 4096; ++i) {
            ++hit[(int)(dal_sweep_sobol(1, i, d) * 16.0)][(int)(dal_sweep_sobol(1, i, d + 1) * 16.0)];
        }
        for (int k = 0; k < 256; ++k) {
            even &= hit[k / 16][k % 16] == 16;
        }
        uneven += !even;
    }
    assert_int_equal(uneven, 2);
}

/* The mean of a smooth function of 6 numbers: the error falls nearly like 1/n, where random points give 1/sqrt(n). */
static void sobol_integrates_faster_than_chance(void **state)
{
    double error[2];
    for (int r = 0; r < 2; ++r) {
        const uint32_t n = r == 0 ? 256 : 8192;
        double square = 0.0;
        for (uint64_t seed = 1; seed <= 8; ++seed) {
            double sum = 0.0;
            for (uint32_t i = 0; i < n; ++i) {
                double y = 1.0;
                for (int d = 0; d < 6; ++d) {
                    y *= 1.0 + 0.5 * (dal_sweep_sobol(seed, i, d) - 0.5);
                }
                sum += y;
            }
            square += (sum / n - 1.0) * (sum / n - 1.0) / 8.0;
        }
        error[r] = sqrt(square);
    }
    assert_true(log2(error[0] / error[1]) / 5.0 > 0.85);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(philox_gives_the_known_answers),
        cmocka_unit_test(uniform_numbers_are_inside_and_even),
        cmocka_unit_test(permutations_hit_every_place_once),
        cmocka_unit_test(logarithm_and_exponential_agree_with_libm),
        cmocka_unit_test(normal_quantile_inverts_the_distribution),
        cmocka_unit_test(sobol_begins_as_printed),
        cmocka_unit_test(sobol_fills_every_interval),
        cmocka_unit_test(sobol_pairs_fill_squares),
        cmocka_unit_test(sobol_integrates_faster_than_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
