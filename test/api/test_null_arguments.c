/* NULL where a pointer is required is DAL_EINVAL with the name of the argument, for every function of the public headers;
 * questions to an object that is not there have harmless answers. Kernels, which cannot fail, are listed as such. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "refused.h"

enum { MOST = 1000 };
static const char *seen[MOST];
static int nseen;

void refused_note(const char *function)
{
    if (!refused_seen(function)) {
        assert_true(nseen < MOST);
        seen[nseen++] = function;
    }
}

int refused_seen(const char *function)
{
    for (int i = 0; i < nseen; ++i) {
        if (strcmp(seen[i], function) == 0) {
            return 1;
        }
    }
    return 0;
}

void refused_at(dal_ctx *ctx, const char *argument, const char *function, dal_status st, const char *file, int line)
{
    char want[128];
    if (st != DAL_EINVAL) {
        print_error("%s: %s instead of DAL_EINVAL\n", function, dal_status_name(st));
        _fail(file, line);
    }
    if (ctx != NULL) {
        snprintf(want, sizeof want, "%s is NULL", argument);
        if (strstr(dal_ctx_message(ctx), want) == NULL || dal_ctx_status(ctx) != DAL_EINVAL) {
            print_error("%s: the message \"%s\" lacks \"%s\"\n", function, dal_ctx_message(ctx), want);
            _fail(file, line);
        }
        dal_ctx_clear(ctx);
    }
}

/* ---- linear systems --------------------------------------------------------------------------- */

static void linsol_refuses_null(dal_ctx *ctx)
{
    const int rowptr[2] = {0, 1}, col[1] = {0};
    const double x[1] = {1.0};
    double room[64];
    int rank, dependent[1];
    dal_pattern *pattern;
    dal_linsol *ls;
    refused(ctx, "pattern", dal_pattern_create, NULL, ctx, 1);
    refused_silently(dal_pattern_create, &pattern, NULL, 1);
    refused_silently(dal_pattern_block, NULL, 0, 0, 1, 1);
    refused_silently(dal_pattern_node, NULL, 0, 1, 0, 0);
    check_ok(ctx, dal_pattern_create(&pattern, ctx, 1));
    check_ok(ctx, dal_pattern_block(pattern, 0, 0, 1, 1));
    refused(ctx, "ls", dal_linsol_create, NULL, ctx, pattern, DAL_LINSOL_AUTO);
    refused_silently(dal_linsol_create, &ls, NULL, pattern, DAL_LINSOL_AUTO);
    refused(ctx, "pattern", dal_linsol_create, &ls, ctx, NULL, DAL_LINSOL_AUTO);
    check_ok(ctx, dal_linsol_create(&ls, ctx, pattern, DAL_LINSOL_AUTO));
    refused_silently(dal_linsol_factor, NULL);
    refused_silently(dal_linsol_restore, NULL, room);
    refused(ctx, "snapshot", dal_linsol_restore, ls, NULL);
    refused_silently(dal_rank_rows, NULL, &rank, dependent, 1, 1, rowptr, col, x, 0.0);
    refused(ctx, "rowptr", dal_rank_rows, ctx, &rank, dependent, 1, 1, NULL, col, x, 0.0);
    refused(ctx, "col", dal_rank_rows, ctx, &rank, dependent, 1, 1, rowptr, NULL, x, 0.0);
    refused(ctx, "x", dal_rank_rows, ctx, &rank, dependent, 1, 1, rowptr, col, NULL, 0.0);
    refused(ctx, "rank", dal_rank_rows, ctx, NULL, dependent, 1, 1, rowptr, col, x, 0.0);
    refused(ctx, "dependent", dal_rank_rows, ctx, &rank, NULL, 1, 1, rowptr, col, x, 0.0);
    harmless(dal_linsol_matrix, dal_linsol_matrix(NULL) == NULL);
    harmless(dal_linsol_name, dal_linsol_name(NULL)[0] == '\0');
    harmless(dal_linsol_singular_row, dal_linsol_singular_row(NULL) == -1);
    harmless(dal_linsol_rcond, dal_linsol_rcond(NULL) == 0.0);
    harmless(dal_linsol_factored, !dal_linsol_factored(NULL));
    harmless(dal_linsol_snapshot_size, dal_linsol_snapshot_size(NULL) == 0);
    harmless(dal_linsol_choice, dal_linsol_choice(NULL)[0] == '\0');
    harmless(dal_linsol_fallbacks, dal_linsol_fallbacks(NULL) == 0);
    does_nothing(dal_linsol_forget, NULL);
    does_nothing(dal_linsol_destroy, NULL);
    does_nothing(dal_pattern_destroy, NULL);
    dal_linsol_destroy(ls);
    dal_pattern_destroy(pattern);
}

/* ---- systems ---------------------------------------------------------------------------------- */

static dal_status M(double *m, double t, const double *q, void *user)
{
    m[0] = 1.0;
    return DAL_OK;
}

static dal_status g(double *f, double t, const double *q, const double *v, const double *la, void *user)
{
    f[0] = q[0];
    return DAL_OK;
}

static dal_status Phi(double *phi, double t, const double *q, void *user)
{
    phi[0] = q[0];
    return DAL_OK;
}

static dal_status B(double *b, double t, const double *q, void *user)
{
    b[0] = 1.0;
    return DAL_OK;
}

typedef struct bench {
    dal_group *group;
    dal_system *sys, *held; /* free, and held by a constraint */
} bench;

static void make_bench(bench *b, dal_ctx *ctx)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 1};
    check_ok(ctx, dal_group_create(&b->group, ctx, &spec, 1));
    check_ok(ctx, dal_dense_create(&b->sys, ctx, &(dal_dense){.group = b->group, .M = M, .g = g}));
    check_ok(ctx, dal_dense_create(&b->held, ctx,
                                   &(dal_dense){.group = b->group, .nc = 1, .M = M, .g = g, .Phi = Phi, .B = B}));
}

static void free_bench(bench *b)
{
    dal_dense_destroy(b->sys);
    dal_dense_destroy(b->held);
    dal_group_destroy(b->group);
}

static void systems_refuse_null(dal_ctx *ctx)
{
    const dal_factor_spec spec = {DAL_FACTOR_RN, 1};
    const double one[1] = {1.0};
    const dal_point at = {0.0, one, one, one, one};
    bench b;
    dal_group *group;
    dal_system *sys;
    make_bench(&b, ctx);
    const dal_dense d = {.group = b.group, .M = M, .g = g};
    refused(ctx, "group", dal_group_create, NULL, ctx, &spec, 1);
    refused_silently(dal_group_create, &group, NULL, &spec, 1);
    refused(ctx, "spec", dal_group_create, &group, ctx, NULL, 1);
    refused_silently(dal_system_validate, NULL, b.sys);
    refused(ctx, "sys", dal_system_validate, ctx, NULL);
    refused(ctx, "sys", dal_dense_create, NULL, ctx, &d);
    refused_silently(dal_dense_create, &sys, NULL, &d);
    refused(ctx, "dense", dal_dense_create, &sys, ctx, NULL);
    refused_silently(dal_system_check, NULL, b.sys, NULL, &at, 1e-6);
    refused(ctx, "sys", dal_system_check, ctx, NULL, NULL, &at, 1e-6);
    refused(ctx, "at", dal_system_check, ctx, b.sys, NULL, NULL, 1e-6);
    refused(ctx, "at->q", dal_system_check, ctx, b.sys, NULL, &(dal_point){0.0, NULL, one, one, one}, 1e-6);
    refused(ctx, "at->v", dal_system_check, ctx, b.sys, NULL, &(dal_point){0.0, one, NULL, one, one}, 1e-6);
    refused(ctx, "at->vd", dal_system_check, ctx, b.sys, NULL, &(dal_point){0.0, one, one, NULL, one}, 1e-6);
    refused(ctx, "at->la", dal_system_check, ctx, b.held, NULL, &(dal_point){0.0, one, one, one, NULL}, 1e-6);
    does_nothing(dal_dense_destroy, NULL);
    does_nothing(dal_group_destroy, NULL);
    free_bench(&b);
}

static void data_refuse_null(dal_ctx *ctx)
{
    const double one[1] = {1.0};
    const dal_point at = {0.0, one, one, one, one};
    dal_sink sink = {0};
    bench b;
    dal_data *data;
    make_bench(&b, ctx);
    refused(ctx, "data", dal_data_create, NULL, ctx, b.sys);
    refused_silently(dal_data_create, &data, NULL, b.sys);
    refused(ctx, "sys", dal_data_create, &data, ctx, NULL);
    check_ok(ctx, dal_data_create(&data, ctx, b.sys));
    refused_silently(dal_data_residual, NULL, &(dal_residual){0}, &at);
    refused(ctx, "out", dal_data_residual, data, NULL, &at);
    refused(ctx, "at", dal_data_residual, data, &(dal_residual){0}, NULL);
    refused_silently(dal_data_tangent, NULL, &sink, &at);
    refused(ctx, "sink", dal_data_tangent, data, NULL, &at);
    refused(ctx, "at", dal_data_tangent, data, &sink, NULL);
    refused_silently(dal_data_accept, NULL, &at, DAL_MOMENT_START);
    refused(ctx, "at", dal_data_accept, data, NULL, DAL_MOMENT_START);
    refused_silently(dal_data_set_inputs, NULL, at.q);
    refused(ctx, "u", dal_data_set_inputs, data, NULL);
    harmless(dal_data_input, dal_data_input(NULL, 0).name == NULL);
    refused_silently(dal_data_integrate, NULL, &at, 1.0);
    refused(ctx, "at", dal_data_integrate, data, NULL, 1.0);
    harmless(dal_data_energy, isnan(dal_data_energy(NULL, &at)));
    harmless(dal_data_energy, isnan(dal_data_energy(data, NULL)));
    harmless(dal_data_system, dal_data_system(NULL) == NULL);
    harmless(dal_system_rows, dal_system_rows(NULL) == 0);
    does_nothing(dal_data_forget, NULL);
    does_nothing(dal_data_destroy, NULL);
    dal_data_destroy(data);
    free_bench(&b);
}

static void linearisations_refuse_null(dal_ctx *ctx)
{
    const double one[1] = {1.0};
    const dal_point at = {0.0, one, one, one, one};
    char text[8] = "x";
    dal_linearization *lin;
    dal_linsol *ls;
    bench b;
    make_bench(&b, ctx);
    refused(ctx, "linearization", dal_linearize_create, NULL, ctx, b.sys, NULL, DAL_WANT_M);
    refused_silently(dal_linearize_create, &lin, NULL, b.sys, NULL, DAL_WANT_M);
    refused(ctx, "sys", dal_linearize_create, &lin, ctx, NULL, NULL, DAL_WANT_M);
    check_ok(ctx, dal_linearize_create(&lin, ctx, b.sys, NULL, DAL_WANT_M));
    refused_silently(dal_linearize_at, NULL, &at);
    refused(ctx, "at", dal_linearize_at, lin, NULL);
    refused_silently(dal_linearize_solver, &ls, NULL, DAL_LINSOL_AUTO);
    refused(ctx, "ls", dal_linearize_solver, NULL, lin, DAL_LINSOL_AUTO);
    check_ok(ctx, dal_linearize_solver(&ls, lin, DAL_LINSOL_AUTO));
    refused_silently(dal_linearize_combine, ls, NULL, 1.0, 0.0, 0.0);
    refused(ctx, "ls", dal_linearize_combine, NULL, lin, 1.0, 0.0, 0.0);
    harmless(dal_linearize_matrix, dal_linearize_matrix(NULL, DAL_WANT_M) == NULL);
    does_nothing(dal_linearize_row_name, NULL, text, sizeof text, DAL_WANT_M, 0);
    does_nothing(dal_linearize_row_name, lin, NULL, 0, DAL_WANT_M, 0);
    does_nothing(dal_linearize_column_name, NULL, text, sizeof text, DAL_WANT_M, 0);
    does_nothing(dal_linearize_column_name, lin, NULL, 0, DAL_WANT_M, 0);
    does_nothing(dal_linearize_destroy, NULL);
    dal_linsol_destroy(ls);
    dal_linearize_destroy(lin);
    free_bench(&b);
}

static void modes_refuse_null(dal_ctx *ctx)
{
    const double one[1] = {1.0};
    const dal_point at = {0.0, one, one, one, one};
    dal_modal *modal;
    bench b;
    make_bench(&b, ctx);
    refused(ctx, "modal", dal_modal_create, NULL, ctx, b.sys, NULL, &at, NULL);
    refused_silently(dal_modal_create, &modal, NULL, b.sys, NULL, &at, NULL);
    refused(ctx, "sys", dal_modal_create, &modal, ctx, NULL, NULL, &at, NULL);
    refused(ctx, "at", dal_modal_create, &modal, ctx, b.sys, NULL, NULL, NULL);
    const dal_options run = dal_options_init();
    refused(ctx, "modal", dal_modal_create_periodic, NULL, ctx, b.sys, NULL, &at, NULL, &run, 1.0);
    refused_silently(dal_modal_create_periodic, &modal, NULL, b.sys, NULL, &at, NULL, &run, 1.0);
    refused(ctx, "sys", dal_modal_create_periodic, &modal, ctx, NULL, NULL, &at, NULL, &run, 1.0);
    refused(ctx, "at", dal_modal_create_periodic, &modal, ctx, b.sys, NULL, NULL, NULL, &run, 1.0);
    refused(ctx, "run", dal_modal_create_periodic, &modal, ctx, b.sys, NULL, &at, NULL, NULL, 1.0);
    harmless(dal_modal_about, dal_modal_about(NULL).n == 0);
    harmless(dal_modal_mode, dal_modal_mode(NULL, 0).rigid == 0);
    harmless(dal_modal_shape, dal_modal_shape(NULL, 0) == NULL);
    harmless(dal_modal_shares, dal_modal_shares(NULL, 0) == NULL);
    harmless(dal_modal_assurance, dal_modal_assurance(NULL, one, 1) == 0.0);
    dal_shapes *shapes;
    dal_mode_shape shape;
    double spin;
    char name[DAL_SHAPE_TEXT];
    refused(ctx, "shapes", dal_shapes_create, NULL, ctx, NULL, b.sys, NULL, &at);
    refused_silently(dal_shapes_create, &shapes, NULL, NULL, b.sys, NULL, &at);
    refused(ctx, "model", dal_shapes_create, &shapes, ctx, NULL, b.sys, NULL, &at);
    refused_silently(dal_shapes_mode, NULL, &shape, NULL, 0);
    harmless(dal_shapes_spinner, dal_shapes_spinner(NULL, &spin) == 0);
    harmless(dal_shapes_state, dal_shapes_state(NULL, name, 0) == 0);
    does_nothing(dal_shapes_destroy, NULL);
    int match[4];
    refused_silently(dal_modal_match, match, NULL, NULL, NULL);
    does_nothing(dal_modal_destroy, NULL);
    free_bench(&b);
}

static void linear_systems_refuse_null(dal_ctx *ctx)
{
    const double one[1] = {1.0};
    const dal_point at = {0.0, one, one, one, one};
    bench b;
    make_bench(&b, ctx);
    const dal_linear_spec spec = {0};
    dal_linear *linear;
    double G[2];
    refused(ctx, "linear", dal_linear_create, NULL, ctx, b.sys, NULL, &at, &spec);
    refused_silently(dal_linear_create, &linear, NULL, b.sys, NULL, &at, &spec);
    refused(ctx, "sys", dal_linear_create, &linear, ctx, NULL, NULL, &at, &spec);
    refused(ctx, "at", dal_linear_create, &linear, ctx, b.sys, NULL, NULL, &spec);
    refused(ctx, "spec", dal_linear_create, &linear, ctx, b.sys, NULL, &at, NULL);
    refused_silently(dal_linear_transfer, NULL, G, 0.0, 1.0);
    harmless(dal_linear_about, dal_linear_about(NULL).n == 0);
    does_nothing(dal_linear_destroy, NULL);
    dal_ports *ports;
    dal_linear_spec filled;
    refused(ctx, "ports", dal_ports_create, NULL, ctx, NULL, NULL, NULL);
    refused_silently(dal_ports_create, &ports, NULL, NULL, NULL, NULL);
    refused(ctx, "model", dal_ports_create, &ports, ctx, NULL, NULL, NULL);
    refused_silently(dal_ports_bind, NULL, &filled, NULL);
    harmless(dal_ports_input, dal_ports_input(NULL, 0).name[0] == '\0');
    harmless(dal_ports_output, dal_ports_output(NULL, 0).unit[0] == '\0');
    does_nothing(dal_ports_destroy, NULL);
    free_bench(&b);
}

static void analyses_refuse_null(dal_ctx *ctx)
{
    double q[1] = {0.0};
    bench b;
    make_bench(&b, ctx);
    const dal_driven_spec spec = {.q = q}, bare = {0};
    dal_driven *driven;
    double x = 0.0;
    refused(ctx, "driven", dal_driven_create, NULL, ctx, b.held, NULL, &spec);
    refused_silently(dal_driven_create, &driven, NULL, b.held, NULL, &spec);
    refused(ctx, "sys", dal_driven_create, &driven, ctx, NULL, NULL, &spec);
    refused(ctx, "spec", dal_driven_create, &driven, ctx, b.held, NULL, NULL);
    refused(ctx, "q", dal_driven_create, &driven, ctx, b.held, NULL, &bare);
    refused_silently(dal_driven_to, NULL, 1.0);
    refused_silently(dal_driven_zero, NULL, &x, 0.0, 1.0, NULL, NULL);
    refused_silently(dal_driven_forces, NULL, &x, NULL, NULL, 0, NULL, 0);
    harmless(dal_driven_point, dal_driven_point(NULL).q == NULL);
    harmless(dal_driven_limit, dal_driven_limit(NULL, NULL, 0) == 0);
    does_nothing(dal_driven_destroy, NULL);
    refused_silently(dal_static_solve, NULL, b.held, NULL, q, NULL, NULL, NULL, 0.0, NULL);
    refused(ctx, "sys", dal_static_solve, ctx, NULL, NULL, q, NULL, NULL, NULL, 0.0, NULL);
    refused(ctx, "q", dal_static_solve, ctx, b.held, NULL, NULL, NULL, NULL, NULL, 0.0, NULL);
    harmless(dal_static_turning, dal_static_turning(NULL, NULL, NULL, NULL, NULL) == 0);
    refused_silently(dal_static_path, NULL, b.held, NULL, q, NULL, NULL, NULL);
    refused(ctx, "sys", dal_static_path, ctx, NULL, NULL, q, NULL, NULL, NULL);
    refused(ctx, "data", dal_static_path, ctx, b.held, NULL, q, NULL, NULL, NULL);
    free_bench(&b);
}

static void projections_refuse_null(dal_ctx *ctx)
{
    double q[1] = {0.0};
    const double zero[1] = {0.0};
    const dal_point at = {0.0, zero, zero, zero, zero};
    dal_reduction *red;
    bench b;
    make_bench(&b, ctx);
    refused_silently(dal_assemble, NULL, b.held, q, NULL, 0.0, NULL, 0, 1e-9);
    refused(ctx, "sys", dal_assemble, ctx, NULL, q, NULL, 0.0, NULL, 0, 1e-9);
    refused(ctx, "q", dal_assemble, ctx, b.held, NULL, NULL, 0.0, NULL, 0, 1e-9);
    refused(ctx, "held", dal_assemble, ctx, b.held, q, NULL, 0.0, NULL, 1, 1e-9);
    refused_silently(dal_complete_velocities, NULL, b.held, q, NULL, 0.0, zero, NULL);
    refused(ctx, "sys", dal_complete_velocities, ctx, NULL, q, NULL, 0.0, zero, NULL);
    refused(ctx, "q", dal_complete_velocities, ctx, b.held, q, NULL, 0.0, NULL, NULL);
    refused(ctx, "v", dal_complete_velocities, ctx, b.held, NULL, NULL, 0.0, zero, NULL);
    refused(ctx, "reduction", dal_reduction_create, NULL, ctx, b.held, 0.0, q, 0.0);
    refused_silently(dal_reduction_create, &red, NULL, b.held, 0.0, q, 0.0);
    refused(ctx, "sys", dal_reduction_create, &red, ctx, NULL, 0.0, q, 0.0);
    refused(ctx, "q", dal_reduction_create, &red, ctx, b.held, 0.0, NULL, 0.0);
    check_ok(ctx, dal_reduction_create(&red, ctx, b.held, 0.0, q, 0.0));
    refused_silently(dal_reduction_multipliers, NULL, q, &at, 0);
    refused(ctx, "at", dal_reduction_multipliers, red, q, NULL, 0);
    refused(ctx, "la", dal_reduction_multipliers, red, NULL, &at, 0);
    refused_silently(dal_reduction_partners, NULL, (char[8]){0}, 8, &at, 0);
    refused(ctx, "at", dal_reduction_partners, red, (char[8]){0}, 8, NULL, 0);
    refused(ctx, "buffer", dal_reduction_partners, red, NULL, 8, &at, 0);
    harmless(dal_reduction_system, dal_reduction_system(NULL) == NULL);
    harmless(dal_reduction_count, dal_reduction_count(NULL) == 0);
    harmless(dal_reduction_rows, dal_reduction_rows(NULL) == NULL);
    does_nothing(dal_reduction_names, NULL, NULL, 0);
    does_nothing(dal_reduction_destroy, NULL);
    dal_reduction_destroy(red);
    free_bench(&b);
}

/* ---- methods and simulations ------------------------------------------------------------------ */

static void methods_refuse_null(dal_ctx *ctx)
{
    dal_options opt = dal_options_init();
    double c[16], b[16], A[256], Ahat[256], T[9];
    int n;
    dal_ga_coef coef;
    check_ok(ctx, dal_ga_coefficients(ctx, &coef, &opt));
    refused(ctx, "options", dal_ga_coefficients, ctx, &coef, NULL);
    refused(ctx, "coef", dal_ga_coefficients, ctx, NULL, &opt);
    refused(ctx, "options", dal_options_method, ctx, NULL, "ggl");
    refused(ctx, "text", dal_options_method, ctx, &opt, NULL);
    refused(ctx, "c", dal_lobatto_coefficients, ctx, NULL, b, A, Ahat, 3);
    refused(ctx, "b", dal_lobatto_coefficients, ctx, c, NULL, A, Ahat, 3);
    refused(ctx, "A", dal_lobatto_coefficients, ctx, c, b, NULL, Ahat, 3);
    refused(ctx, "Ahat", dal_lobatto_coefficients, ctx, c, b, A, NULL, 3);
    refused(ctx, "coef", dal_error_recursion, ctx, T, &n, NULL, DAL_FORMULATION_INDEX3);
    refused(ctx, "T", dal_error_recursion, ctx, NULL, &n, &coef, DAL_FORMULATION_INDEX3);
    refused(ctx, "n", dal_error_recursion, ctx, T, NULL, &coef, DAL_FORMULATION_INDEX3);
}

static double value(double t, const double *q, const double *v, void *user)
{
    return 1.0;
}

static dal_status watch(dal_sim *sim, const dal_state *s, void *user)
{
    return DAL_OK;
}

static dal_status sample(dal_sim *sim, const dal_point *at, void *user)
{
    return DAL_OK;
}

static void absent_simulations_are_harmless(void)
{
    double x[8];
    refused_silently(dal_sim_start, NULL, NULL, 0.0, x, x);
    refused_silently(dal_sim_reset, NULL, NULL);
    refused_silently(dal_sim_step, NULL);
    refused_silently(dal_sim_run, NULL, NULL, 1.0);
    refused_silently(dal_sim_data_changed, NULL);
    refused_silently(dal_sim_set_input, NULL, 0, 1.0);
    refused_silently(dal_sim_set_inputs, NULL, &(double){0.0});
    refused_silently(dal_sim_reaction, NULL, x);
    refused_silently(dal_sim_residuals, NULL, x, x);
    refused_silently(dal_sim_energy, NULL, x);
    refused_silently(dal_sim_watch, NULL, NULL);
    harmless(dal_sim_balance, isnan(dal_sim_balance(NULL).energy));
    harmless(dal_balance_off, dal_balance_off(NULL, 1.0, 0.0) == 0);
    refused_silently(dal_sim_interpolate, NULL, x, x, x, 0.0);
    refused_silently(dal_sim_project, NULL, DAL_PROJECTION_PLAIN);
    refused_silently(dal_sim_set_step, NULL, 0.1);
    refused_silently(dal_sim_observe, NULL, watch, NULL);
    refused_silently(dal_sim_event, NULL, &(dal_event){.value = value});
    refused_silently(dal_sim_remove_event, NULL, 0);
    refused_silently(dal_sim_sample, NULL, &(dal_sampling){.every = 0.1}, sample, NULL);
    refused_silently(dal_sim_save, NULL, x, sizeof x);
    refused_silently(dal_sim_restore, NULL, x, sizeof x);
    does_nothing(dal_sim_destroy, NULL);
}

static void absent_simulations_have_nothing(void)
{
    harmless(dal_sim_state, dal_sim_state(NULL).q == NULL);
    harmless(dal_sim_shown_state, dal_sim_shown_state(NULL).q == NULL);
    harmless(dal_sim_point, dal_sim_point(NULL).q == NULL);
    harmless(dal_sim_options, dal_sim_options(NULL) == NULL);
    harmless(dal_sim_system, dal_sim_system(NULL) == NULL);
    harmless(dal_sim_data, dal_sim_data(NULL) == NULL);
    harmless(dal_sim_stats, dal_sim_stats(NULL).steps == 0);
    harmless(dal_sim_solver_choice, dal_sim_solver_choice(NULL)[0] == '\0');
    harmless(dal_sim_condition, isnan(dal_sim_condition(NULL)));
    harmless(dal_sim_event_index, dal_sim_event_index(NULL) == -1);
    harmless(dal_sim_contact_events, dal_sim_contact_events(NULL, NULL) == NULL);
    harmless(dal_sim_contact_totals, dal_sim_contact_totals(NULL).impacts == 0);
    harmless(dal_sim_snapshot_size, dal_sim_snapshot_size(NULL) == 0);
}

static void simulations_refuse_null(dal_ctx *ctx)
{
    const double one[1] = {1.0}, times[1] = {0.1};
    bench b;
    dal_sim *sim;
    dal_samples samples;
    dal_error error;
    make_bench(&b, ctx);
    refused(ctx, "sim", dal_sim_create, NULL, ctx, b.sys, NULL);
    refused_silently(dal_sim_create, &sim, NULL, b.sys, NULL);
    refused(ctx, "sys", dal_sim_create, &sim, ctx, NULL, NULL);
    check_ok(ctx, dal_sim_create(&sim, ctx, b.sys, NULL));
    refused(ctx, "q", dal_sim_start, sim, NULL, 0.0, NULL, one);
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, one, NULL));
    refused(ctx, "force", dal_sim_reaction, sim, NULL);
    refused(ctx, "energy", dal_sim_energy, sim, NULL);
    refused(ctx, "observer", dal_sim_observe, sim, NULL, NULL);
    refused(ctx, "when", dal_sim_sample, sim, NULL, sample, NULL);
    refused(ctx, "sampler", dal_sim_sample, sim, &(dal_sampling){.every = 0.1}, NULL, NULL);
    refused(ctx, "event", dal_sim_event, sim, NULL);
    refused(ctx, "event->value", dal_sim_event, sim, &(dal_event){0});
    refused(ctx, "buffer", dal_sim_save, sim, NULL, 1000000);
    refused(ctx, "buffer", dal_sim_restore, sim, NULL, 8);
    refused(ctx, "samples", dal_samples_init, NULL, ctx, b.sys, times, 1);
    refused_silently(dal_samples_init, &samples, NULL, b.sys, times, 1);
    refused(ctx, "sys", dal_samples_init, &samples, ctx, NULL, times, 1);
    refused(ctx, "t", dal_samples_init, &samples, ctx, b.sys, NULL, 1);
    check_ok(ctx, dal_samples_init(&samples, ctx, b.sys, times, 1));
    refused_silently(dal_samples_run, NULL, sim, NULL);
    refused(ctx, "sim", dal_samples_run, &samples, NULL, NULL);
    refused_silently(dal_reference, &samples, &error, NULL, b.sys, 0.0, one, one, NULL, 1e-6);
    refused(ctx, "samples", dal_reference, NULL, &error, ctx, b.sys, 0.0, one, one, NULL, 1e-6);
    refused(ctx, "sys", dal_reference, &samples, &error, ctx, NULL, 0.0, one, one, NULL, 1e-6);
    refused(ctx, "q0", dal_reference, &samples, &error, ctx, b.sys, 0.0, NULL, one, NULL, 1e-6);
    refused(ctx, "error", dal_reference, &samples, NULL, ctx, b.sys, 0.0, one, one, NULL, 1e-6);
    does_nothing(dal_samples_release, NULL);
    dal_samples_release(&samples);
    dal_sim_destroy(sim);
    free_bench(&b);
}

/* ---- nothing is forgotten --------------------------------------------------------------------- */

/* Functions without pointers, and kernels: they write plain arrays, cannot fail, and need all of them. */
static const char *const others[] = {
    "dal_version", "dal_version_string", "dal_status_name", "dal_status_text", "dal_options_table",
    "dal_observed_order", "dal_builtin_count", "dal_builtin_model", "dal_model_schema", "dal_model_explain",
    "dal_factor_type_of", "dal_record_table_name", "dal_key_kind_name", "dal_element_type_count", "dal_element_type_at",
    "dal_method_count", "dal_method_get", "dal_static_method_name", "dal_path_kind_name",
    // of groups and rotations
    "dal_identity", "dal_retract", "dal_difference", "dal_compose", "dal_inverse", "dal_tangent", "dal_inv_tangent",
    "dal_dtangent", "dal_hat", "dal_bracket", "dal_tangent_apply", "dal_inv_tangent_apply", "dal_distance",
    "dal_defect", "dal_normalise", "dal_quat_to_matrix", "dal_quat_from_matrix", "dal_quat_from_vector",
    "dal_quat_to_vector", "dal_quat_mul", "dal_quat_rotate",
    // of matrices and samples
    "dal_matrix_zero", "dal_matrix_add", "dal_matrix_mul", "dal_linsol_solve", "dal_linsol_solve_refined",
    "dal_linsol_solve_transposed", "dal_linsol_save", "dal_error_amplification", "dal_samples_error",
    "dal_samples_size", "dal_shape_mass_finish", "dal_mesh_stretch"};

/* The name in "DAL_API type name(..." or "name_(...": functions that are told sizes have an underscore. */
static int next_function(const char **text, char name[64])
{
    const char *at = strstr(*text, "DAL_API ");
    while (at != NULL && (at[8] == '_' || strncmp(at - 8, "#define", 7) == 0)) { // its definition
        at = strstr(at + 8, "DAL_API ");
    }
    if (at == NULL) {
        return 0;
    }
    const char *end = strchr(at, '(');
    const char *begin = end;
    while (begin[-1] != ' ' && begin[-1] != '*' && begin[-1] != '\n') {
        --begin;
    }
    snprintf(name, 64, "%.*s", (int)(end - begin) - (end[-1] == '_'), begin);
    *text = end;
    return 1;
}

static int check_header(const char *header)
{
    static char text[100000];
    char path[512], name[64];
    int functions = 0;
    snprintf(path, sizeof path, "%s/%s", DAL_INCLUDE, header);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    const size_t n = fread(text, 1, sizeof text - 1, in);
    assert_true(n < sizeof text - 1);
    fclose(in);
    text[n] = '\0';
    for (const char *at = text; next_function(&at, name); ++functions) {
        int known = refused_seen(name);
        for (size_t i = 0; i < LEN(others) && !known; ++i) {
            known = strcmp(others[i], name) == 0;
        }
        if (!known) {
            fail_msg("%s of %s is not called with NULL: add it to this test", name, header);
        }
    }
    return functions;
}

/* All headers that the umbrella includes. */
static void no_function_is_missing(void)
{
    char line[256], header[64];
    int functions = 0;
    FILE *in = fopen(DAL_INCLUDE "/dalembert.h", "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in) != NULL) {
        if (sscanf(line, "#include \"dalembert/%63[^\"]\"", header) == 1) {
            functions += check_header(header);
        }
    }
    fclose(in);
    assert_true(functions > 180);
}

static void every_public_function_refuses_null(void **state)
{
    dal_ctx *ctx = check_ctx();
    base_refuses_null(ctx);
    linsol_refuses_null(ctx);
    systems_refuse_null(ctx);
    data_refuse_null(ctx);
    linearisations_refuse_null(ctx);
    modes_refuse_null(ctx);
    linear_systems_refuse_null(ctx);
    campbell_refuses_null(ctx);
    imports_refuse_null(ctx);
    beams_refuse_null(ctx);
    gradients_refuse_null(ctx);
    analyses_refuse_null(ctx);
    projections_refuse_null(ctx);
    methods_refuse_null(ctx);
    absent_simulations_are_harmless();
    absent_simulations_have_nothing();
    simulations_refuse_null(ctx);
    models_refuse_null(ctx);
    shapes_refuse_null(ctx);
    files_refuse_null(ctx);
    no_function_is_missing();
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_public_function_refuses_null)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
