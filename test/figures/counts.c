/* Newton's method as [HAG] has it: iterations a step, and the step that fails. By the second program of the claims, which has matrices
 * by differences as the program of the figures has, and by the library. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "figures.h"
#include "problems/spatial.h"
#include "reproduce/lab.h"
#include "reproduce/oracle.h"
#include "support/check.h"

static const struct {
    const char *name, *words;
    oracle_method by;
} cases[] = {
    {"top EP, neglected", "$top $full chart:euler rho_inf=0.65", {.chart = ORACLE_EULER, .rho = 0.65}},
    {"top EP, full K",
     "$top $full chart:euler rho_inf=0.65 tangent=exact",
     {.chart = ORACLE_EULER, .rho = 0.65, .exact = 1}},
    {"top geom1", "$top $full rho_inf=0.65 sigma=0", {.rho = 0.65}},
    {"top sigma1 printed", "$top $full rho_inf=0.65 sigma=1 kinematics=printed", {.rho = 0.65, .sigma = 1.0}},
    {"rotor sigma1 printed", "$rotor_run $full sigma=1 kinematics=printed", {.rho = 0.9, .sigma = 1.0}},
    {"rotor geom1", "$rotor_run $full sigma=0", {.rho = 0.9}},
    {"rotor EP neglected", "$rotor_run $full chart:euler", {.chart = ORACLE_EULER, .rho = 0.9}},
    {"rotor EP full K",
     "$rotor_run $full chart:euler tangent=exact max_iterations=40",
     {.chart = ORACLE_EULER, .rho = 0.9, .exact = 1}},
    {"crank EP, neglected", "$crank $full chart:euler", {.chart = ORACLE_EULER, .rho = 0.875}},
    {"crank EP, full K", "$crank $full chart:euler tangent=exact", {.chart = ORACLE_EULER, .rho = 0.875, .exact = 1}},
    {"crank sigma1 index3", "$crank $full formulation=index3 sigma=1 kinematics=printed", {.rho = 0.875, .sigma = 1.0}},
    {"crank sigma1 index2",
     "$crank $full formulation=index2 sigma=1 kinematics=printed",
     {.rho = 0.875, .sigma = 1.0, .formulation = ORACLE_INDEX2}},
};

typedef struct count {
    double iterations; /* a step */
    int failed;        /* the step that fails; 0: none does */
} count;

static count by_library(dal_ctx *ctx, const char *text, double h, int steps)
{
    lab L = {.ctx = ctx};
    words w = {.n = 0};
    char more[64];
    snprintf(more, sizeof more, "h=%g steps:%d", h, steps);
    assert_true(words_add(&w, text) && words_add(&w, more));
    const track *t = lab_run(&L, &w);
    const count c = {(double)t->stats.newton_iterations / (double)t->stats.steps, t->status == DAL_OK ? 0 : t->n};
    lab_close(&L);
    dal_ctx_clear(ctx);
    return c;
}

/* That the crank turns about x is said by its y and z axes in the figures, by its x axis in the problem. */
static void turn_rows(problem *p)
{
    spatial *s = p->data;
    for (int k = 1; k < 3; ++k) {
        spatial_joint *j = &s->joint[k];
        for (int i = 0; i < 3; ++i) {
            j->a[i] = i == k;
            j->b[i] = i == 0;
        }
    }
}

/* A rotor that starts turned about its axis has the same motion, with other last digits. */
static void start_turned(double *q, double *vd, double angle)
{
    const double c = cos(angle), s = sin(angle), y = vd[4], z = vd[5];
    q[3] = cos(0.5 * angle);
    q[4] = sin(0.5 * angle);
    vd[4] = c * y + s * z;
    vd[5] = c * z - s * y;
}

static count by_oracle(dal_ctx *ctx, const json_t *entry, const oracle_method *by, double angle)
{
    static oracle o;
    const char *name = figure_text(entry, "case");
    const double t0 = 0.0, h = figure_number(entry, "h");
    double q[PROBLEM_MAX], v[PROBLEM_MAX], vd[PROBLEM_MAX], la[PROBLEM_MAX];
    problem p;
    oracle_method m = *by;
    m.published = m.old = 1;
    m.rows = m.chart == ORACLE_EULER;
    m.factor = 1.0;
    m.newton = ORACLE_FULL;
    m.rtol = name[0] == 'c' ? 1e-9 : 1e-8;
    check_ok(ctx, name[0] == 't'   ? problem_heavy_top(&p, ctx, HEAVY_TOP_R3SO3)
                  : name[0] == 'r' ? problem_rotor(&p, ctx, 0)
                                   : problem_spatial_slider_crank(&p, ctx, 0));
    p.par[1] = name[0] == 't' ? 1.0 : p.par[1]; // R(p) of textbooks
    problem_exact(&p, q, v, vd, la, &t0, 1);
    if (angle != 0.0) {
        start_turned(q, vd, angle);
    }
    if (name[0] == 'c') {
        turn_rows(&p);
    }
    oracle_begin(&o, &p, &m, h, q, v, vd, la);
    count c = {0.0, 0};
    for (int i = 0; i < (int)figure_number(entry, "steps") && c.failed == 0; ++i) {
        c.failed = oracle_step(&o) ? 0 : i + 1;
    }
    c.iterations = (double)o.iterations / (double)o.steps;
    problem_free(&p);
    return c;
}

static void compare(const json_t *entry, const char *who, count c, double iterations, double steps)
{
    const double failed = figure_number(entry, "failed_at_step");
    if (isnan(failed)) {
        figure_true(entry, "success", c.failed == 0);
        figure_compare(entry, who, c.iterations, figure_number(entry, "iterations"), iterations);
    } else {
        figure_compare(entry, who, c.failed, failed, steps);
    }
}

/* The same count from starts that are as good: it is not the same. */
static void is_undetermined(dal_ctx *ctx, const json_t *entry, const oracle_method *by)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 4; ++k) {
        const count c = by_oracle(ctx, entry, by, 0.3 * k);
        print_message("%s: %.3f, fails at %d\n", figure_text(entry, "id"), c.iterations, c.failed);
        least = fmin(least, c.iterations);
        most = fmax(most, c.iterations);
    }
    figure_true(entry, "spread", most - least > figure_tolerance(entry, "iterations"));
}

void figure_count(dal_ctx *ctx, const json_t *entry)
{
    const char *name = figure_text(entry, "case");
    const double within = figure_tolerance(entry, "iterations"), steps = figure_tolerance(entry, "step");
    size_t k = 0;
    while (k < LEN(cases) - 1 && strcmp(name, cases[k].name) != 0) {
        ++k;
    }
    assert_string_equal(name, cases[k].name);
    const count own = by_library(ctx, cases[k].words, figure_number(entry, "h"), (int)figure_number(entry, "steps"));
    if (figure_text(entry, "undetermined")) {
        is_undetermined(ctx, entry, &cases[k].by);
        compare(entry, "library", own, 1.0, 0.0);
        return;
    }
    compare(entry, "second program", by_oracle(ctx, entry, &cases[k].by, 0.0), within, steps);
    // with tangents of its own, or with other rounding, about one more iteration
    const int alike = !figure_text(entry, "library");
    compare(entry, "library", own, alike ? within : 1.0, alike ? steps : 2.0);
}
