/* Beam elements for tests: a curved and twisted reference with a full section, bent at random. */
#ifndef TEST_BEAMS_H
#define TEST_BEAMS_H

#include "beam/beam.h"
#include "support/check.h"

typedef struct test_beam {
    beam_table table;
    beam_section section;
    beam_point point[BEAM_ORDER_MAX];
    beam_element e;
    beam_frame reference[BEAM_NODES_MAX], f[BEAM_NODES_MAX];
    double F[36], start[36];
} test_beam;

/* order 1: two nodes; fourth: with the law of order four */
void test_beam_make(test_beam *b, check_rng *rng, int order, int fourth, int damped);
/* x += d, p := p o exp(d_w), node after node (6 numbers each) */
void test_beam_move(beam_frame *to, const beam_frame *from, const double *d, int n);
void test_quat_exp(double p[4], const double w[3]);

#endif
