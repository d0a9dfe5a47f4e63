/* Which engine runs the members: the library, or a program that is generated for the model, compiled and loaded. */
#define _GNU_SOURCE

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_impl.h"

/* Members of a block on a device; steps of all members that make compiling worth while (docs/user/sweep.md); members whose
 * parameters are tried as a start for the program. */
enum { DEVICE_WIDTH = 8192, WORTH = 2000000, TRIALS = 8 };

const char *dal_sweep_backend_name(dal_sweep_backend backend)
{
    static const char *const name[] = {"interpreted", "lanes", "cuda", "auto"};
    return backend >= 0 && backend <= DAL_SWEEP_BACKEND_AUTO ? name[backend] : NULL;
}

long dal_sweep_steps(double t_end, double h)
{
    const double n = rint(t_end / h), rounding = 1e-12 * h + 4.0 * 2.2e-16 * fabs(t_end);
    return n >= 1.0 && n < 1e15 && fabs(n * h - t_end) <= rounding ? (long)n : 0;
}

/* ---- what programs cannot do ------------------------------------------------------------------ */

/* Times of trajectories are ends of steps. */
static dal_status check_times(const dal_sweep *s, double h)
{
    for (int k = 0; k < s->ntimes; ++k) {
        if (fabs(s->times[k] / h - rint(s->times[k] / h)) > 1e-9) {
            return dal_fail(
                s->ctx, DAL_EINVAL,
                "the trajectories are wanted at t = %g, between two steps of h = %g: programs give the ends of "
                "steps; take multiples of h, or --backend interpreted",
                s->times[k], h);
        }
    }
    return DAL_OK;
}

static dal_status check_sweep(const dal_sweep *s)
{
    if (s->binding == NULL || s->doc == NULL) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "a parameter decides about the structure of the model or is an option, so that each member reads "
            "the model anew: that is for --backend interpreted");
    }
    const dal_options o = dal_sweep_options(s);
    if (o.step == DAL_STEP_ADAPTIVE) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "a tolerance controls the steps, and programs have a constant step: give h (with fixed steps), or "
            "--backend interpreted");
    }
    double x[SWEEP_PARAMETERS], t_end;
    dal_sweep_point(s, x, 0);
    if (dal_binding_t_end(s->binding, &t_end, x) == DAL_OK && dal_sweep_steps(t_end, o.h) == 0) {
        return dal_fail(
            s->ctx, DAL_EINVAL,
            "t_end = %g is not a whole number of steps of h = %g, and programs have a constant step: choose "
            "another h or t_end, or --backend interpreted",
            t_end, o.h);
    }
    return check_times(s, o.h);
}

/* Is compiling worth while? It does not depend on the cache: the same sweep gives the same results. */
static dal_status check_size(const dal_sweep *s)
{
    double x[SWEEP_PARAMETERS], t_end;
    dal_sweep_point(s, x, 0);
    DAL_TRY(dal_binding_t_end(s->binding, &t_end, x));
    const double steps = t_end / dal_sweep_options(s).h * (double)s->n;
    return steps >= WORTH ? DAL_OK
                          : dal_fail(s->ctx, DAL_EINVAL, "%.3g steps in all are too few to be worth compiling", steps);
}

/* ---- the program ------------------------------------------------------------------------------ */

/* Names of the outputs that are looked at, each once. */
static int list_outputs(const dal_sweep *s, const char **name)
{
    const dal_model *model = dal_document_model(s->doc);
    int n = 0;
    for (int k = 0; k < s->plan.ninputs; ++k) {
        if (s->input[k].output < 0) {
            continue;
        }
        const char *own = dal_model_output_info(model, s->input[k].output).name;
        int known = 0;
        for (int i = 0; i < n; ++i) {
            known |= strcmp(name[i], own) == 0;
        }
        if (!known) {
            name[n++] = own;
        }
    }
    return n;
}

static dal_status find_inputs(dal_sweep *s)
{
    const dal_model *model = dal_document_model(s->doc);
    sweep_code *c = &s->code;
    DAL_TAKE(&s->pool, c->at, s->plan.ninputs + 1);
    for (int k = 0; k < s->plan.ninputs; ++k) {
        const sweep_input *in = &s->input[k];
        if (in->output < 0) {
            c->at[k] = -1;
            continue;
        }
        const dal_output_info info = dal_model_output_info(model, in->output);
        const int first = dal_program_output(c->program, info.name);
        if (first < 0) {
            return dal_fail(s->ctx, DAL_EINVAL,
                            "the output '%s' is not for generated programs: collect something else, or take --backend "
                            "interpreted",
                            info.name);
        }
        c->at[k] = first + (in->first - info.first);
    }
    return DAL_OK;
}

static dal_status generate(dal_sweep *s, const char **output, int noutputs)
{
    const char *parameter[SWEEP_PARAMETERS];
    double x[SWEEP_PARAMETERS];
    for (int k = 0; k < s->np; ++k) {
        parameter[k] = s->parameter[k].name;
    }
    const dal_generate_options how = {.name = "members",
                                      .scalar = s->backend == DAL_SWEEP_CUDA ? DAL_GENERATE_CUDA : DAL_GENERATE_LANES,
                                      .lanes = dal_sweep_lanes(),
                                      .parameters = parameter,
                                      .nparameters = s->np,
                                      .outputs = output,
                                      .noutputs = noutputs,
                                      .trace = 1};
    dal_status st = DAL_EINVAL;
    for (long k = 0; k < TRIALS && st == DAL_EINVAL; ++k) { // a member may be one that does not start
        dal_sweep_point(s, x, k * (s->n - 1) / (TRIALS - 1));
        st = dal_program_create_bound(&s->code.program, s->ctx, s->doc, s->binding, x, &how);
    }
    return st;
}

static dal_status load(dal_sweep *s)
{
    sweep_code *c = &s->code;
    const int cuda = s->backend == DAL_SWEEP_CUDA;
    c->h = dal_sweep_options(s).h;
    c->width = cuda ? DEVICE_WIDTH : dal_sweep_lanes();
    c->width = c->width > s->n ? (int)s->n : c->width;
    return dal_sweep_code_load(c, s->ctx, s->np, cuda, "--backend interpreted");
}

static dal_status make_code(dal_sweep *s)
{
    DAL_TRY(check_sweep(s));
    const char **output;
    DAL_TAKE(&s->pool, output, s->plan.ninputs + 1);
    DAL_TRY(generate(s, output, list_outputs(s, output)));
    DAL_TRY(find_inputs(s));
    return load(s);
}

dal_status dal_sweep_backend_prepare(dal_sweep *s)
{
    if (s->backend == DAL_SWEEP_INTERPRETED) {
        return DAL_OK;
    }
    const int automatic = s->backend == DAL_SWEEP_BACKEND_AUTO;
    s->backend = automatic ? DAL_SWEEP_LANES : s->backend;
    dal_status st = automatic && s->binding != NULL ? check_size(s) : DAL_OK;
    st = st == DAL_OK ? make_code(s) : st;
    if (st == DAL_OK || st == DAL_ENOMEM || !automatic) {
        return st;
    }
    const char *why = dal_ctx_message(s->ctx);
    DAL_TAKE_TEXT(&s->pool, s->note, why);
    s->backend = DAL_SWEEP_INTERPRETED;
    dal_sweep_code_release(&s->code);
    dal_ctx_clear(s->ctx);
    return DAL_OK;
}

/* ---- questions -------------------------------------------------------------------------------- */

dal_sweep_backend dal_sweep_backend_of(const dal_sweep *s)
{
    return s != NULL ? s->backend : DAL_SWEEP_INTERPRETED;
}

const char *dal_sweep_backend_note(const dal_sweep *s)
{
    return s != NULL && s->note != NULL ? s->note : "";
}

double dal_sweep_compile_seconds(const dal_sweep *s)
{
    return s != NULL ? s->code.seconds : 0.0;
}

int dal_sweep_block(const dal_sweep *s)
{
    return s != NULL && s->code.width > 0 ? s->code.width : 1;
}

long dal_sweep_handed_over(const dal_sweep *s)
{
    return s != NULL ? s->handed : 0;
}

void dal_sweep_note_handed(dal_sweep *s, long member, int handed)
{
    if (handed && s->by_library != NULL) {
        s->by_library[member] = 1;
        ++s->handed;
    }
}
