/* Finite element bodies: what the reduction keeps of the whole body, against the whole and against closed forms. */
#include <math.h>
#include <string.h>

#include "dalembert/sim.h"
#include "fem_bars.h"
#include "flexible_models.h"
#include "linsol/subspace.h"
#include "support/check.h"

static const double pi = 3.14159265358979323846;

/* ---- rigid ------------------------------------------------------------------------------------ */

static void mass_centre_and_inertia_are_those_of_the_box(void **state)
{
    static const int n[3] = {5, 2, 3};
    static const double s[3] = {1.0, 0.1, 0.2};
    static bar b;
    dal_ctx *ctx = check_ctx();
    for (int average = 0; average < 2; ++average) {
        make_bar(&b, n, s, average);
        b.fem.nmodes = 2;
        dal_fem_result *r = reduce(ctx, &b.fem);
        const double m = fem_steel.density * s[0] * s[1] * s[2];
        const double J[6] = {m * (s[1] * s[1] + s[2] * s[2]) / 12, m * (s[0] * s[0] + s[2] * s[2]) / 12,
                             m * (s[0] * s[0] + s[1] * s[1]) / 12};
        const double com[3] = {0.5, 0.0, 0.0};
        assert_near_rel(r->report.mass, m, 1e-13);
        assert_all_near(r->report.com, com, 3, 1e-13);
        assert_all_near(r->report.inertia, J, 6, 1e-12 * m);
        dal_fem_destroy(r);
        fem_mesh_release(&b.mesh);
    }
    check_ctx_free(ctx);
}

/* Lumped masses: the integrals are sums over nodes, which are all kept. */
static void integrals_are_the_sums_over_lumped_masses(void **state)
{
    static const int n[3] = {4, 2, 2};
    static const double s[3] = {1.0, 0.1, 0.12};
    static bar b;
    static double lumped[NODES];
    dal_ctx *ctx = check_ctx();
    make_bar(&b, n, s, 1);
    memset(lumped, 0, sizeof lumped);
    for (int k = 0; k < b.mesh.n; ++k) {
        lumped[b.mesh.row[k]] += b.mesh.M[k];
        b.mesh.M[k] = 0.0;
    }
    for (int k = 0; k < b.mesh.n; ++k) {
        if (b.mesh.row[k] == b.mesh.col[k]) {
            b.mesh.M[k] = lumped[b.mesh.row[k]];
            lumped[b.mesh.row[k]] = 0.0;
        }
    }
    for (int k = 0; k < b.mesh.n; ++k) {
        lumped[b.mesh.row[k]] += b.mesh.M[k];
    }
    static int every[3 * NODES]; // nodes of the surface are kept
    for (int i = 0; i < 3 * b.mesh.nnodes; ++i) {
        every[i] = i / 3;
    }
    b.fem.ntriangles = b.mesh.nnodes;
    b.fem.triangle = every;
    b.fem.nmodes = 5;
    b.fem.reference = "A";
    dal_fem_result *r = reduce(ctx, &b.fem);
    const dal_modes *m = &r->modes;
    const int N = m->nmodes;
    assert_int_equal(m->nnodes, b.mesh.nnodes + 2);
    for (int k = 0; k < N; ++k) {
        double C[3] = {0.0}, P1[9] = {0.0};
        for (int l = 0; l < N; ++l) {
            double P2[9] = {0.0};
            for (int i = 0; i < b.mesh.nnodes; ++i) {
                const double *pk = m->shape + 3 * (N * i + k), *pl = m->shape + 3 * (N * i + l), *a = m->node + 3 * i;
                for (int e = 0; e < 9; ++e) {
                    P2[e] += lumped[3 * i] * pl[e % 3] * pk[e / 3];
                    P1[e] += l == 0 ? lumped[3 * i] * a[e % 3] * pk[e / 3] : 0.0;
                    C[e % 3] += l == 0 && e < 3 ? lumped[3 * i] * pk[e] : 0.0;
                }
            }
            assert_all_near(m->sums->product + 9 * (l + N * k), P2, 9, 1e-11);
            assert_near(m->sums->modal_mass[l + N * k], P2[0] + P2[4] + P2[8], 1e-11);
        }
        assert_all_near(m->sums->shape + 3 * k, C, 3, 1e-11);
        assert_all_near(m->sums->place + 9 * k, P1, 9, 1e-11);
    }
    dal_fem_destroy(r);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* ---- frequencies ------------------------------------------------------------------------------ */

static void a_free_beam_has_the_frequencies_of_the_closed_form(void **state)
{
    static const double beta[3] = {4.730040744862704, 7.853204624095838, 10.995607838001671};
    static bar b;
    dal_ctx *ctx = check_ctx();
    make_beam(&b, 20, 1.0, 0.002);
    b.fem.method = DAL_FEM_FREE;
    b.fem.nmodes = 8;
    dal_fem_result *r = reduce(ctx, &b.fem);
    for (int k = 0; k < 6; ++k) { // in pairs
        const double f = beta[k / 2] * beta[k / 2] / (2.0 * pi) * sqrt(fem_steel.E / fem_steel.density) * 0.002 / 4.0;
        print_message("mode %d: %.6f Hz, error %.1e\n", k + 1, r->report.full[k], r->report.full[k] / f - 1.0);
        assert_near_rel(r->report.full[k], f, 1e-4);
        assert_near_rel(r->report.frequency[k], r->report.full[k], 1e-8);
    }
    dal_fem_destroy(r);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* Reduced frequencies lie above those of the whole body, and come down to them with the number of modes. */
static void craig_bampton_converges_from_above(void **state)
{
    static const int n[3] = {8, 2, 2};
    static const double s[3] = {1.0, 0.1, 0.12};
    static bar b;
    dal_ctx *ctx = check_ctx();
    for (int average = 0; average < 2; ++average) {
        double before = INFINITY;
        make_bar(&b, n, s, average);
        for (int modes = 0; modes <= 24; modes += 6) {
            double worst = 0.0;
            b.fem.nmodes = modes;
            dal_fem_result *r = reduce(ctx, &b.fem);
            for (int k = 0; k < 4; ++k) {
                const double error = r->report.frequency[k] / r->report.full[k] - 1.0;
                assert_true(error > -1e-9);
                worst = fmax(worst, error);
            }
            print_message("%s, %2d modes: error of the first four frequencies %.1e\n", average ? "mean " : "rigid",
                          modes, worst);
            assert_true(worst < before);
            before = worst;
            dal_fem_destroy(r);
        }
        assert_true(before < 5e-4);
        fem_mesh_release(&b.mesh);
    }
    check_ctx_free(ctx);
}

static void all_vibrations_below_a_frequency_are_taken(void **state)
{
    static const int n[3] = {8, 2, 2};
    static const double s[3] = {1.0, 0.1, 0.1};
    static bar b;
    dal_ctx *ctx = check_ctx();
    make_bar(&b, n, s, 0);
    b.fem.nmodes = 20;
    dal_fem_result *many = reduce(ctx, &b.fem);
    b.fem.nmodes = 0;
    b.fem.frequency = 3000.0;
    dal_fem_result *r = reduce(ctx, &b.fem);
    int below = 0;
    while (many->report.held[below] <= 3000.0) {
        ++below;
    }
    assert_int_equal(r->report.nheld, below);
    for (int k = 0; k < below; ++k) {
        assert_near_rel(r->report.held[k], many->report.held[k], 1e-9);
    }
    dal_fem_destroy(r);
    b.fem.cutoff = 2000.0;
    r = reduce(ctx, &b.fem);
    assert_true(r->report.nmodes > 0 && r->report.frequency[r->report.nmodes - 1] <= 2000.0);
    dal_fem_destroy(r);
    dal_fem_destroy(many);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* Of a body that is held, the effective masses of all vibrations add up to what its inner nodes carry: nearly everything here. */
static void effective_masses_add_up(void **state)
{
    static bar b;
    dal_ctx *ctx = check_ctx();
    make_beam(&b, 40, 1.0, 0.05);
    b.fem.nmodes = 200;
    dal_fem_result *r = reduce(ctx, &b.fem);
    double sum[6] = {0.0};
    for (int k = 0; k < 6 * r->report.nheld; ++k) {
        sum[k % 6] += r->report.effective[k];
        assert_true(r->report.effective[k] >= 0.0);
    }
    for (int k = 0; k < 6; ++k) {
        assert_true(sum[k] > 0.9 && sum[k] < 1.0 + 1e-9);
    }
    dal_fem_destroy(r);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* ---- statics ---------------------------------------------------------------------------------- */

/* Displacement and rotation of B relative to A, of a body whose A is held, under a force and moment on B. */
static void tip_displacement(double u[6], const dal_modes *m, const double load[6])
{
    const int n = m->nmodes, A = m->interfaces[0], B = m->interfaces[1];
    double d[3];
    memset(u, 0, 6 * sizeof *u);
    for (int c = 0; c < 3; ++c) {
        d[c] = m->node[3 * B + c] - m->node[3 * A + c];
    }
    for (int k = 0; k < n; ++k) {
        double rel[6], work = 0.0;
        for (int c = 0; c < 3; ++c) {
            const int p = (c + 1) % 3, q = (c + 2) % 3;
            const double *t = m->rotation + 3 * (n * A + k);
            rel[c] = m->shape[3 * (n * B + k) + c] - m->shape[3 * (n * A + k) + c] - (t[p] * d[q] - t[q] * d[p]);
            rel[3 + c] = m->rotation[3 * (n * B + k) + c] - t[c];
        }
        for (int c = 0; c < 6; ++c) {
            work += rel[c] * load[c];
        }
        for (int c = 0; c < 6; ++c) {
            u[c] += rel[c] * work / m->stiffness[k];
        }
    }
}

static void a_beam_bends_and_stretches_as_the_closed_form_says(void **state)
{
    static bar b;
    dal_ctx *ctx = check_ctx();
    const double L = 1.0, d = 0.02, A = pi * d * d / 4.0, I = A * d * d / 16.0, F = 100.0;
    make_beam(&b, 6, L, d);
    for (int method = 0; method < 2; ++method) {
        for (int modes = 0; modes < 6; modes += 5) {
            b.fem.method = (dal_fem_method)method;
            b.fem.nmodes = modes;
            dal_fem_result *r = reduce(ctx, &b.fem);
            double u[6];
            tip_displacement(u, &r->modes, (double[]){0, F, 0, 0, 0, 0});
            assert_near_rel(u[1], F * L * L * L / (3.0 * fem_steel.E * I), 1e-7);
            assert_near_rel(u[5], F * L * L / (2.0 * fem_steel.E * I), 1e-7);
            tip_displacement(u, &r->modes, (double[]){F, 0, 0, 0, 0, 0});
            assert_near_rel(u[0], F * L / (fem_steel.E * A), 1e-7);
            tip_displacement(u, &r->modes, (double[]){0, 0, 0, F, 0, 0});
            assert_near_rel(u[3], F * L / (fem_steel.E / 2.6 * 2.0 * I), 1e-7);
            dal_fem_destroy(r);
        }
    }
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* Static shapes are exact in both methods, however few the vibrations, and in whatever frame. */
static void both_methods_have_the_statics_of_the_whole_body(void **state)
{
    static const int n[3] = {6, 2, 2};
    static const double s[3] = {0.6, 0.1, 0.12}, load[6] = {1e4, 2e3, -3e3, 50.0, 70.0, -90.0};
    static bar b;
    dal_ctx *ctx = check_ctx();
    for (int average = 0; average < 2; ++average) {
        double first[6], u[6];
        make_bar(&b, n, s, average);
        for (int k = 0; k < 5; ++k) {
            b.fem.method = (dal_fem_method)(k % 2);
            b.fem.nmodes = 3 * k;
            b.fem.reference = k < 2 ? NULL : k == 2 ? "A" : "B";
            dal_fem_result *r = reduce(ctx, &b.fem);
            tip_displacement(k == 0 ? first : u, &r->modes, load);
            for (int c = 0; c < 6 && k > 0; ++c) {
                assert_near_rel(u[c], first[c], 1e-7);
            }
            dal_fem_destroy(r);
        }
        fem_mesh_release(&b.mesh);
    }
    check_ctx_free(ctx);
}

/* In a steady rotation about z through its end a bar stretches by rho Omega^2 L^3/(3 E). The modes feel Omega^2 sum m (x psi_x +
 * y psi_y); what holds A balances the momentum. */
static void a_spinning_bar_stretches_as_the_closed_form_says(void **state)
{
    static bar b;
    dal_ctx *ctx = check_ctx();
    const double L = 1.0, Omega = 200.0;
    make_beam(&b, 20, L, 0.01);
    b.fem.nmodes = 40;
    b.fem.reference = "A";
    dal_fem_result *r = reduce(ctx, &b.fem);
    const dal_modes *m = &r->modes;
    double u = 0.0;
    for (int k = 0; k < m->nmodes; ++k) {
        const double *P1 = m->sums->place + 9 * k;
        u += m->shape[3 * (m->nmodes * m->interfaces[1] + k)] * Omega * Omega * (P1[0] + P1[4]) / m->stiffness[k];
    }
    print_message("stretch %.6e m, closed form %.6e\n", u, fem_steel.density * Omega * Omega / (3.0 * fem_steel.E));
    assert_near_rel(u, fem_steel.density * Omega * Omega * L * L * L / (3.0 * fem_steel.E), 1e-3);
    dal_fem_destroy(r);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* ---- motion ----------------------------------------------------------------------------------- */

/* A bar that tumbles and vibrates keeps its energy, and its ends move alike whatever its frame is fixed to. */
static void a_tumbling_bar_keeps_its_energy_in_every_frame(void **state)
{
    static const int n[3] = {4, 1, 1};
    static const double s[3] = {0.5, 0.02, 0.03};
    static const char *const option[] = {"integrator=lobatto", "stages=3"};
    static bar b;
    double tip[2][4], first[4];
    dal_ctx *ctx = check_ctx();
    make_bar(&b, n, s, 1);
    for (int k = 0; k < 2; ++k) {
        dal_model *m;
        b.fem.reference = k == 0 ? NULL : "A";
        b.fem.cutoff = 4000.0;
        b.fem.nmodes = 4;
        dal_fem_result *r = reduce(ctx, &b.fem);
        check_ok(ctx, dal_model_create(&m, ctx));
        check_ok(ctx, dal_model_add_flexible(m, NULL,
                                             &(dal_flexible){.name = "bar",
                                                             .modes = &r->modes,
                                                             .rotation = {1.0, 0.0, 0.0, 0.0},
                                                             .angular_velocity = {30.0, 10.0, 20.0},
                                                             .given = DAL_GIVEN_VELOCITY | DAL_GIVEN_MODAL_VELOCITY}));
        check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "tip", .quantity = "position", .body = 3}));
        check_ok(ctx, dal_model_add_output(m, NULL, &(dal_output){.name = "energy", .quantity = "energy"}));
        dal_sim *sim = start(ctx, m, option, LEN(option), 2e-5);
        outputs(ctx, m, sim, first);
        check_ok(ctx, dal_sim_run(sim, NULL, 0.01));
        outputs(ctx, m, sim, tip[k]);
        print_message("energy %.9g J, change %.1e\n", first[3], tip[k][3] - first[3]);
        assert_near_rel(tip[k][3], first[3], 1e-7);
        dal_sim_destroy(sim);
        dal_model_destroy(m);
        dal_fem_destroy(r);
    }
    print_message("tip moved by %.3e m, difference of the frames %.1e m\n", check_max_abs_diff(tip[0], first, 3),
                  check_max_abs_diff(tip[0], tip[1], 3));
    assert_true(check_max_abs_diff(tip[0], first, 3) > 0.05);
    assert_all_near(tip[0], tip[1], 3, 1e-5);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* ---- random ----------------------------------------------------------------------------------- */

/* Frames in space: mass by hand, statics alike in both methods, frequencies from above, and exact with all vibrations. */
static void random_frames_keep_mass_statics_and_frequencies(void **state)
{
    enum { N = 8, ALL = 6 * (N - 2) };
    static bar b;
    check_rng rng = check_rng_seed(26);
    for (int trial = 0; trial < 25; ++trial) {
        dal_ctx *ctx = check_ctx();
        const double d = check_uniform(&rng, 0.01, 0.05), scale = pow(10.0, check_uniform(&rng, -2.0, 2.0));
        double node[3 * N], mass = 0.0, u[2][6] = {{0.0}}, load[6];
        int edge[2 * (2 * N - 2)], n = 0;
        for (int i = 0; i < 3 * N; ++i) {
            node[i] = scale * check_uniform(&rng, -1.0, 1.0);
        }
        for (int i = 1; i < 2 * N - 1; ++i) { // a tree, then loops
            const int to = i < N ? i : (int)check_uniform(&rng, 1.0, N), from = (int)check_uniform(&rng, 0.0, to);
            const double *p = node + 3 * from, *q = node + 3 * to;
            mass += fem_steel.density * pi / 4.0 * d * d * scale * scale *
                    hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
            edge[n++] = from;
            edge[n++] = to;
        }
        fem_mesh_frame(&b.mesh, node, N, edge, n / 2, scale * d, &fem_steel);
        hold_ends(&b, 0, N - 1);
        check_normals(&rng, load, 6);
        for (int k = 0; k < 4; ++k) {
            b.fem.method = (dal_fem_method)(k % 2);
            b.fem.nmodes = k < 2 ? 3 : ALL;
            b.fem.reference = k % 3 == 0 ? NULL : "B";
            dal_fem_result *r = reduce(ctx, &b.fem);
            assert_near_rel(r->report.mass, mass, 1e-11);
            tip_displacement(u[k > 0], &r->modes, load);
            assert_all_near(u[1], k > 0 ? u[0] : u[1], 6, 1e-6 * check_max_abs(u[0], 6));
            for (int i = 0; i < r->report.nfull && i < r->report.nmodes && i < 10; ++i) {
                const double error = r->report.frequency[i] / r->report.full[i] - 1.0;
                assert_true(error > -1e-7 && (k < 2 || error < 1e-6));
            }
            dal_fem_destroy(r);
        }
        fem_mesh_release(&b.mesh);
        check_ctx_free(ctx);
    }
}

/* ---- units ------------------------------------------------------------------------------------ */

static void millimetres_and_tonnes_are_converted(void **state)
{
    static bar b;
    dal_ctx *ctx = check_ctx();
    make_beam(&b, 6, 1.0, 0.02);
    b.fem.nmodes = 4;
    dal_fem_result *want = reduce(ctx, &b.fem);
    for (int k = 0; k < b.mesh.n; ++k) { // N/mm, N, N mm; t, t mm, t mm^2
        const double f = (b.mesh.row[k] % 6 > 2 ? 1e3 : 1.0) * (b.mesh.col[k] % 6 > 2 ? 1e3 : 1.0) * 1e-3;
        b.mesh.K[k] *= f;
        b.mesh.M[k] *= f;
    }
    for (int i = 0; i < 3 * b.mesh.nnodes; ++i) {
        b.mesh.node[i] *= 1e3;
    }
    b.fem.length = 1e-3;
    b.fem.mass = 1e3;
    dal_fem_result *r = reduce(ctx, &b.fem);
    assert_near_rel(r->report.mass, want->report.mass, 1e-12);
    assert_near_rel(r->report.inertia[1], want->report.inertia[1], 1e-12);
    assert_near_rel(r->report.speed, want->report.speed, 1e-12);
    for (int k = 0; k < r->report.nmodes; ++k) {
        assert_near_rel(r->report.frequency[k], want->report.frequency[k], 1e-8);
    }
    dal_fem_destroy(r);
    dal_fem_destroy(want);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* Frequencies go with the root of stiffness over mass, shapes stay. */
static void factors_are_those_of_another_material(void **state)
{
    static bar b;
    dal_ctx *ctx = check_ctx();
    make_beam(&b, 6, 1.0, 0.02);
    b.fem.nmodes = 4;
    dal_fem_result *want = reduce(ctx, &b.fem);
    b.fem.stiffness_factor = 0.5;
    b.fem.mass_factor = 2.0;
    dal_fem_result *r = reduce(ctx, &b.fem);
    assert_near_rel(r->report.mass, 2.0 * want->report.mass, 1e-13);
    for (int k = 0; k < r->report.nmodes; ++k) {
        assert_near_rel(r->report.frequency[k], 0.5 * want->report.frequency[k], 1e-9);
    }
    dal_fem_destroy(r);
    dal_fem_destroy(want);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

/* A portal whose masses are lumped at nodes, without inertia of their rotations: M has zero rows. */
static void rows_without_mass_are_no_obstacle(void **state)
{
    static bar b;
    static double lumped[200];
    double node[3 * 13] = {0.0};
    int edge[24], n = 0;
    dal_ctx *ctx = check_ctx();
    for (int i = 0; i < 13; ++i) {
        node[3 * i] = i < 4 ? 0.0 : i < 9 ? 0.25 * (i - 4) : 1.0;
        node[3 * i + 1] = i < 4 ? 0.25 * i : i < 9 ? 1.0 : 1.0 - 0.25 * (i - 8);
        if (i > 0) {
            edge[n++] = i - 1;
            edge[n++] = i;
        }
    }
    fem_mesh_frame(&b.mesh, node, 13, edge, 12, 0.02, &fem_steel);
    for (int k = 0; k < b.mesh.n; ++k) {
        lumped[b.mesh.row[k]] += b.mesh.row[k] % 6 == b.mesh.col[k] % 6 && b.mesh.row[k] % 6 < 3 ? b.mesh.M[k] : 0.0;
        b.mesh.M[k] = 0.0;
    }
    for (int k = 0; k < b.mesh.n; ++k) {
        if (b.mesh.row[k] == b.mesh.col[k]) {
            b.mesh.M[k] = lumped[b.mesh.row[k]];
            lumped[b.mesh.row[k]] = 0.0;
        }
    }
    hold_ends(&b, 0, 12);
    b.fem.nmodes = 12;
    dal_fem_result *r = reduce(ctx, &b.fem);
    assert_near_rel(r->report.mass, fem_steel.density * 3.0 * pi * 1e-4, 1e-9);
    for (int k = 0; k < 4; ++k) {
        print_message("portal, mode %d: %.4f Hz of %.4f Hz\n", k + 1, r->report.frequency[k], r->report.full[k]);
        assert_near_rel(r->report.frequency[k], r->report.full[k], 2e-3);
    }
    dal_fem_destroy(r);
    fem_mesh_release(&b.mesh);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_centre_and_inertia_are_those_of_the_box),
        cmocka_unit_test(integrals_are_the_sums_over_lumped_masses),
        cmocka_unit_test(a_free_beam_has_the_frequencies_of_the_closed_form),
        cmocka_unit_test(craig_bampton_converges_from_above),
        cmocka_unit_test(all_vibrations_below_a_frequency_are_taken),
        cmocka_unit_test(effective_masses_add_up),
        cmocka_unit_test(a_beam_bends_and_stretches_as_the_closed_form_says),
        cmocka_unit_test(both_methods_have_the_statics_of_the_whole_body),
        cmocka_unit_test(a_spinning_bar_stretches_as_the_closed_form_says),
        cmocka_unit_test(a_tumbling_bar_keeps_its_energy_in_every_frame),
        cmocka_unit_test(random_frames_keep_mass_statics_and_frequencies),
        cmocka_unit_test(millimetres_and_tonnes_are_converted),
        cmocka_unit_test(factors_are_those_of_another_material),
        cmocka_unit_test(rows_without_mass_are_no_obstacle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
