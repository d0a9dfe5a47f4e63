/* Both beam elements: tangents, invariance, balance, the reference cases of one element. */
#include "beams.h"

#include <math.h>

#include "beam/helicoid_kernel.h"

enum { NKINDS = 9 };
/* order, law of order four */
static const int kinds[NKINDS][2] = {{1, 0}, {1, 1}, {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}, {7, 0}, {8, 0}};

/* Derivative of the forces along a direction of the coordinates or of the velocities: differences of order six. */
static void along(double *dr, const test_beam *b, const double *d, int of_velocities, double h)
{
    static const double c[3] = {0.75, -0.15, 1.0 / 60.0};
    const int size = 6 * b->e.n;
    for (int i = 0; i < size; ++i) {
        dr[i] = 0.0;
    }
    for (int k = -3; k <= 3; ++k) {
        beam_frame f[BEAM_NODES_MAX];
        double step[BEAM_SIZE_MAX], r[BEAM_SIZE_MAX];
        for (int i = 0; i < size; ++i) {
            step[i] = of_velocities ? 0.0 : k * h * d[i];
        }
        test_beam_move(f, b->f, step, b->e.n);
        for (int i = 0; i < b->e.n && of_velocities; ++i) {
            for (int a = 0; a < 3; ++a) {
                f[i].xd[a] += k * h * d[6 * i + a];
                f[i].Om[a] += k * h * d[6 * i + 3 + a];
            }
        }
        beam_force(r, &b->e, f);
        for (int i = 0; i < size && k != 0; ++i) {
            dr[i] += (k > 0 ? c[k - 1] : -c[-k - 1]) * r[i] / h;
        }
    }
}

static void tangents_are_the_derivatives_of_the_forces(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(261);
    for (int k = 0; k < 2 * NKINDS; ++k) {
        test_beam b;
        static double K[BEAM_SIZE_MAX * BEAM_SIZE_MAX], C[BEAM_SIZE_MAX * BEAM_SIZE_MAX];
        test_beam_make(&b, &rng, kinds[k / 2][0], kinds[k / 2][1], k % 2);
        const int size = 6 * b.e.n;
        beam_tangent(K, C, &b.e, b.f);
        for (int what = 0; what < 1 + k % 2; ++what) {
            const double *A = what ? C : K;
            for (int j = 0; j < size; ++j) {
                double d[BEAM_SIZE_MAX] = {0.0}, dr[BEAM_SIZE_MAX];
                d[j] = 1.0;
                along(dr, &b, d, what, what ? 1.0 : 2e-3);
                assert_all_near(A + j * size, dr, size, 1e-8 * check_max_abs(A, size * size));
            }
        }
    }
}

/* The forces are the derivative of the energy, and what damping takes is their power. */
static void forces_have_the_energy_and_the_loss(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(262);
    for (int k = 0; k < NKINDS; ++k) {
        test_beam b;
        double r[BEAM_SIZE_MAX], d[BEAM_SIZE_MAX], power = 0.0;
        test_beam_make(&b, &rng, kinds[k][0], kinds[k][1], 0);
        const int size = 6 * b.e.n;
        beam_force(r, &b.e, b.f);
        for (int j = 0; j < size; ++j) {
            beam_frame f[BEAM_NODES_MAX];
            double slope = 0.0;
            static const double c[3] = {0.75, -0.15, 1.0 / 60.0};
            for (int i = -3; i <= 3; ++i) {
                memset(d, 0, sizeof d);
                d[j] = 2e-3 * i;
                test_beam_move(f, b.f, d, b.e.n);
                slope += i == 0 ? 0.0 : (i > 0 ? c[i - 1] : -c[-i - 1]) * beam_energy(&b.e, f) / 2e-3;
            }
            assert_near(slope, r[j], 1e-8 * check_max_abs(r, size));
        }
        double damped[BEAM_SIZE_MAX];
        b.section.damped = 1;
        beam_force(damped, &b.e, b.f);
        for (int i = 0; i < b.e.n; ++i) {
            for (int a = 0; a < 3; ++a) {
                power += (damped[6 * i + a] - r[6 * i + a]) * b.f[i].xd[a];
                power += (damped[6 * i + 3 + a] - r[6 * i + 3 + a]) * b.f[i].Om[a];
            }
        }
        assert_true(power > 0.0);
        assert_near_rel(beam_loss(&b.e, b.f), power, 1e-12);
    }
}

/* A rigid motion turns the forces with it, however far; they balance. */
static void rigid_motions_change_nothing(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(263);
    for (int k = 0; k < NKINDS; ++k) {
        test_beam b;
        beam_frame moved[BEAM_NODES_MAX];
        double r[BEAM_SIZE_MAX], turned[BEAM_SIZE_MAX], Q[4], sum[3] = {0.0}, moment[3] = {0.0};
        test_beam_make(&b, &rng, kinds[k][0], kinds[k][1], 0);
        check_quaternion(&rng, Q);
        beam_force(r, &b.e, b.f);
        for (int i = 0; i < b.e.n; ++i) {
            moved[i] = b.f[i];
            quat_rotate(moved[i].x, Q, b.f[i].x);
            quat_mul(moved[i].p, Q, b.f[i].p);
            for (int a = 0; a < 4; ++a) {
                moved[i].p[a] *= i == 1 ? -1.0 : 1.0; // the same rotation
            }
            for (int a = 0; a < 3; ++a) {
                moved[i].x[a] += 3.0;
            }
        }
        beam_force(turned, &b.e, moved);
        const double size = check_max_abs(r, 6 * b.e.n);
        for (int i = 0; i < b.e.n; ++i) {
            double want[3], torque[3], arm[3];
            quat_rotate(want, Q, r + 6 * i);
            assert_all_near(turned + 6 * i, want, 3, 1e-13 * size);
            assert_all_near(turned + 6 * i + 3, r + 6 * i + 3, 3, 1e-13 * size);
            quat_rotate(torque, b.f[i].p, r + 6 * i + 3);
            cross3(arm, b.f[i].x, r + 6 * i);
            for (int a = 0; a < 3; ++a) {
                sum[a] += r[6 * i + a];
                moment[a] += torque[a] + arm[a];
            }
        }
        assert_near(check_max_abs(sum, 3), 0.0, 1e-13 * size);
        assert_near(check_max_abs(moment, 3), 0.0, 1e-13 * size);
        assert_near_rel(beam_energy(&b.e, moved), beam_energy(&b.e, b.f), 1e-13);
        beam_force(r, &b.e, b.reference);
        assert_near(check_max_abs(r, 6 * b.e.n), 0.0, 1e-13 * size);
    }
}

/* A helicoid with any constant strain: its nodes carry the wrench of the section law and nothing is lost on the way. */
static void constant_strain_is_exact_with_two_nodes(void **state)
{
    (void)state;
    check_rng rng = check_rng_seed(264);
    test_beam b;
    test_beam_make(&b, &rng, 1, 0, 0);
    double strain[6], s[6], want[6], e[6], x[3], p[4];
    beam_at(x, p, strain, s, &b.e, b.f, 0.5);
    for (int i = 0; i < 6; ++i) {
        e[i] = strain[i];
    }
    mul6(want, b.section.K, e);
    (void)s;
    // cut in two at the middle, each half has the strain of the whole
    beam_frame half[2] = {b.f[0], b.f[0]}, reference[2] = {b.reference[0], b.reference[0]};
    memcpy(half[1].x, x, sizeof x);
    memcpy(half[1].p, p, sizeof p);
    beam_at(reference[1].x, reference[1].p, NULL, NULL, &b.e, b.reference, 0.5);
    beam_point point = {.section = &b.section};
    beam_element part = {2, NULL, &point};
    assert_true(beam_reference(&part, NULL, NULL, reference));
    assert_near_rel(point.weight, 0.5 * b.point[0].weight, 1e-14);
    beam_at(x, p, strain, s, &part, half, 1.0);
    assert_all_near(strain, e, 6, 1e-14);
    assert_all_near(x, half[1].x, 3, 1e-14);
    assert_near(fabs(dot3(p + 1, half[1].p + 1) + p[0] * half[1].p[0]), 1.0, 1e-14);
}

/* Reference cases, of two nodes and of order 2: section, places, motion. */
static const double K[6][6] = {
    {9.938, 2.158, -2.352, 1.424, -2.261, -0.346}, {2.158, 11.75, -1.994, 1.811, -2.582, 0.373},
    {-2.352, -1.994, 13.88, -0.59, 1.33, 2.337},   {1.424, 1.811, -0.59, 7.801, 0.531, 0.96},
    {-2.261, -2.582, 1.33, 0.531, 10.614, 0.726},  {-0.346, 0.373, 2.337, 0.96, 0.726, 9.012}};
static const double D[6][6] = {
    {0.619, 0.015, 0.22, 0.45, -0.082, 0.036},   {0.015, 0.924, 0.152, -0.231, 0.005, -0.155},
    {0.22, 0.152, 0.419, 0.21, 0.052, 0.06},     {0.45, -0.231, 0.21, 0.956, 0.112, 0.042},
    {-0.082, 0.005, 0.052, 0.112, 0.377, -0.05}, {0.036, -0.155, 0.06, 0.042, -0.05, 0.062}};
static const double x0[2][3][3] = {{{0.0}, {0.841471, 0.459698, 0.3}},
                                   {{0.0}, {0.479426, 0.122417, 0.15}, {0.841471, 0.459698, 0.3}}};
static const double w0[2][3][3] = {{{0.0}, {0.3, 0.2, 1.0}}, {{0.0}, {0.15, 0.05, 0.5}, {0.3, 0.2, 1.0}}};
static const double dx[2][3][3] = {
    {{0.0103, -0.0865, 0.0896}, {-0.1298, -0.1201, -0.1282}},
    {{0.0103, -0.0865, 0.0896}, {-0.1298, -0.1201, -0.1282}, {0.0967, -0.0361, -0.0971}}};
static const double dw[2][3][3] = {
    {{0.1934, -0.0721, -0.1942}, {-0.2272, 0.0842, -0.211}},
    {{-0.2272, 0.0842, -0.211}, {-0.2544, 0.1228, -0.2393}, {-0.0645, -0.0014, -0.0891}}};
static const double v[2][3][6] = {
    {{-1.272, 0.614, -1.197, -0.322, -0.007, -0.445}, {-0.054, 1.339, -0.517, -1.259, -1.837, -0.205}},
    {{-0.054, 1.339, -0.517, -1.259, -1.837, -0.205},
     {-0.352, 0.265, -0.464, -0.479, -0.721, -0.52},
     {0.16, -0.38, 0.1, 1.901, 0.479, -1.576}}};
static const double energy[2] = {1.271862065785292, 2.543401243102826};
static const double g[2][18] = {{2.037237181596611, 0.17489788053005148, 2.768751678261945, 3.661392293417627,
                                 0.7462554755908533, -0.29659035690058033, -0.20099503914430528, 1.516087693352958,
                                 -3.083502806691609, -2.826233188616502, 0.3549071016364225, -1.8363300391399722},
                                {3.021550603625184, 2.3471151521416633, 5.26605855484952, 0.02015960408222839,
                                 -0.03576748395422342, 1.8336003138826165, -8.9267849260392, -8.075955120628171,
                                 -9.744747287442951, -9.029228710210566, -2.0266812141836366, -6.324687011899767,
                                 5.905234322414016, 5.728839968486507, 4.4786887325934295, 8.360581027144784,
                                 -3.0022891321084724, 4.020044314977248}};

/* K x and C x with x_i = (-1)^i (i + 1)/n. */
static const double Kx[2][18] = {{-6.567734516912802, -3.647299502904799, -8.669980037047786, 5.267665324650407,
                                  12.682968372395424, -0.5987372802916822, 3.6309448727127376, 0.2755745673559819,
                                  12.229907139701703, -9.714116085520487, 3.3285165335178575, -4.124511599859695},
                                 {0.6658513801802015, 7.355264198770603, -13.35808056565979, 8.6307427780209,
                                  -2.416342370249648, 5.322723556942009, -5.474107059701469, 6.362066419310224,
                                  -7.668854776261536, 6.781315264818814, 19.66049096873968, 0.6208723484644774,
                                  4.808255679521268, -13.717330618080831, 21.026935341921323, -14.701713287207665,
                                  14.520103208817693, 2.724236527003067}};
static const double Cx[2][18] = {{0.3151709102435049, -0.9986702518947305, -0.2972262754201467, 0.6292304657371471,
                                  0.7592144993560067, -0.5408169101122422, 0.530728681187795, 0.8184880407892491,
                                  0.4831385179562661, -0.820088192268661, 0.3822602421400806, -0.5728707242987053},
                                 {-0.10573674896316257, -0.1140129139955811, -0.14434678244851779, 0.36954218753036766,
                                  -0.09019181849534298, -0.022866424098796793, 0.9706484204874699,
                                  -0.019056844085674884, -0.33513285571306445, 1.1015458390886232, 1.1017264723089668,
                                  -0.20169319726688684, -0.8649116715243077, 0.13306975808125582, 0.47947963816158196,
                                  -1.2708618800727798, 0.5975476618562532, -0.20966219132661804}};

/* Mean of the element with two nodes, in both points of Gauss of order 2. */
static const double forces[2][2][6] = {{{-1.2703163646425284, 0.8210072672280672, -3.0001385627396218,
                                         -3.4171914545527042, -0.11485945702734324, -0.7206128596177215}},
                                       {{-1.91583135019083, -0.7843936857410732, -5.111995514381389, 0.7227614728227685,
                                         -0.6604716480471324, -1.2207196003915903},
                                        {6.784024378774474, 1.458591952393296, 4.644125777802549, 8.056162606179887,
                                         -1.791555029271049, 3.766564550464263}}};

/* A change of a force in world axes as one of the force in section axes, own (BM.17). */
static void in_section_axes(double dr[3], const beam_frame *f, const double own[3], const double turn[3])
{
    const double back[4] = {f->p[0], -f->p[1], -f->p[2], -f->p[3]};
    double x[3], w[3];
    quat_rotate(x, back, dr);
    cross3(w, turn, own);
    for (int i = 0; i < 3; ++i) {
        dr[i] = x[i] - w[i];
    }
}

/* Products of the tangents with a vector; of two nodes everything is in section axes, velocities too. */
static void tangents_agree(const test_beam *b, const double *r, int c)
{
    static const double still[3] = {0.0};
    const int n = 2 + c, size = 6 * n;
    double K6[18 * 18] = {0.0}, C6[18 * 18] = {0.0}, x[18] = {0.0}, moved[18] = {0.0}, swept[18] = {0.0},
                   y[2][18] = {{0.0}};
    for (int i = 0; i < size; ++i) {
        x[i] = moved[i] = (i % 2 ? -1.0 : 1.0) * (i + 1) / size;
    }
    for (int i = 0; i < n && c == 0; ++i) {
        double w[3];
        quat_rotate(moved + 6 * i, b->f[i].p, x + 6 * i);
        cross3(w, x + 6 * i + 3, v[c][i]);
        quat_rotate(swept + 6 * i, b->f[i].p, w); // velocities in section axes stay, those in world axes turn
    }
    beam_tangent(K6, C6, &b->e, b->f);
    for (int k = 0; k < size * size; ++k) {
        y[0][k % size] += K6[k] * moved[k / size] + C6[k] * swept[k / size];
        y[1][k % size] += C6[k] * moved[k / size];
    }
    for (int i = 0; i < n && c == 0; ++i) {
        in_section_axes(y[0] + 6 * i, &b->f[i], r + 6 * i, x + 6 * i + 3);
        in_section_axes(y[1] + 6 * i, &b->f[i], r + 6 * i, still);
    }
    assert_all_near(y[0], Kx[c], size, 2e-12);
    assert_all_near(y[1], Cx[c], size, 2e-13);
}

/* What an element with two nodes has at its ends are the forces on the nodes. */
static void section_forces_agree(const test_beam *b, const double *r, int c)
{
    double strain[6], s[6], r6[12];
    if (c == 0) {
        helicoid_force(r6, strain, s, b->point, b->f);
        assert_all_near(s, forces[c][0], 6, 1e-12);
    }
    for (int k = 0; k < 2; ++k) {
        beam_at(NULL, NULL, NULL, s, &b->e, b->f, c ? 0.5 * (1.0 + b->table.point[k]) : k);
        for (int i = 0; i < 6; ++i) {
            assert_near(s[i], c ? forces[c][k][i] : (k ? 1.0 : -1.0) * r[6 * k + i], 1e-12);
        }
    }
}

/* g, K and C of the reference cases: values of an independent program, 13 digits. */
static void one_element_agrees_with_the_reference_cases(void **state)
{
    (void)state;
    for (int c = 0; c < 2; ++c) {
        test_beam b = {.section = {.damped = 1}};
        double r[18], e[4], q[4];
        const int n = 2 + c;
        memcpy(b.section.K, K, sizeof K);
        memcpy(b.section.D, D, sizeof D);
        beam_table_make(&b.table, 2);
        b.e = (beam_element){n, c ? &b.table : NULL, b.point};
        for (int i = 0; i < n; ++i) {
            b.point[i].section = &b.section;
            memcpy(b.reference[i].x, x0[c][i], 3 * sizeof(double));
            test_quat_exp(b.reference[i].p, w0[c][i]);
            b.f[i] = b.reference[i];
            test_quat_exp(e, dw[c][i]);
            quat_mul(q, b.reference[i].p, e);
            memcpy(b.f[i].p, q, sizeof q);
            for (int k = 0; k < 3; ++k) {
                b.f[i].x[k] += dx[c][i][k];
            }
            // of the two-node case velocities and forces are in section axes
            memcpy(b.f[i].Om, v[c][i] + 3, 3 * sizeof(double));
            memcpy(b.f[i].xd, v[c][i], 3 * sizeof(double));
            if (c == 0) {
                quat_rotate(b.f[i].xd, b.f[i].p, v[c][i]);
            }
        }
        assert_true(beam_reference(&b.e, NULL, NULL, b.reference));
        beam_force(r, &b.e, b.f);
        for (int i = 0; i < n && c == 0; ++i) {
            const double back[4] = {b.f[i].p[0], -b.f[i].p[1], -b.f[i].p[2], -b.f[i].p[3]};
            double own[3];
            quat_rotate(own, back, r + 6 * i);
            memcpy(r + 6 * i, own, sizeof own);
        }
        assert_near_rel(beam_energy(&b.e, b.f), energy[c], 1e-13);
        assert_all_near(r, g[c], 6 * n, 1e-12);
        tangents_agree(&b, r, c);
        section_forces_agree(&b, r, c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_are_the_derivatives_of_the_forces),
        cmocka_unit_test(forces_have_the_energy_and_the_loss),
        cmocka_unit_test(rigid_motions_change_nothing),
        cmocka_unit_test(constant_strain_is_exact_with_two_nodes),
        cmocka_unit_test(one_element_agrees_with_the_reference_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
