/* Work and precision: every built-in model by every method over a ladder of steps or tolerances. A line for each run:
 *
 *     model,end [s],method,steps by,setting,error,ms,steps,note
 *
 * error: distance on the group between q at the end and a reference of order 10, in units of the way that the motion goes
 * (largest distance from the start in the reference). ms: CPU time from the initial values to the end, the least of at
 * least three runs. note: what the run said, if it failed or warned that stability limits its steps. Steps are halved
 * until an error of 1e-10, tolerances divided by 10 until 1e-11 as well, or a run takes 0.15 s. The method "reference" has the error of the reference.
 *
 *     bench_methods [MODEL ...]      these models; all if there is none. tools/work_precision makes tables of it */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "dalembert/analysis.h"
#include "dalembert/io.h"
#include "dalembert/sim.h"

#define LEN(a) (int)(sizeof(a) / sizeof((a)[0]))

enum { SAMPLES = 16, RUNGS = 24 };
static const double enough = 1e-10; /* error */
static const double limit = 0.15;   /* seconds of a run after which finer ones are not tried */

typedef struct method {
    const char *name;
    const char *set[4];
    double first; /* step size in units of the model's, or first tolerance */
} method;

static const method methods[] = {
    {"index3", {"integrator=genalpha", "formulation=index3", "step=fixed"}, 16.0},
    {"index3, sigma=0", {"sigma=0", "formulation=index3", "step=fixed"}, 16.0},
    {"index3, sigma=spin", {"sigma=spin", "formulation=index3", "step=fixed"}, 16.0},
    {"index2", {"integrator=genalpha", "formulation=index2", "step=fixed"}, 16.0},
    {"ggl", {"integrator=genalpha", "formulation=ggl", "step=fixed"}, 16.0},
    {"index3, adaptive", {"integrator=genalpha", "formulation=index3", "step=adaptive"}, 1e-2},
    {"ggl, adaptive", {"integrator=genalpha", "formulation=ggl", "step=adaptive"}, 1e-2},
    {"bdf1", {"integrator=bdf", "order=1", "formulation=ggl", "step=fixed"}, 16.0},
    {"bdf2", {"integrator=bdf", "order=2", "formulation=ggl", "step=fixed"}, 16.0},
    {"bdf3", {"integrator=bdf", "order=3", "formulation=ggl", "step=fixed"}, 16.0},
    {"bdf4", {"integrator=bdf", "order=4", "formulation=ggl", "step=fixed"}, 16.0},
    {"bdf5", {"integrator=bdf", "order=5", "formulation=ggl", "step=fixed"}, 16.0},
    {"bdf5, adaptive", {"integrator=bdf", "order=5", "formulation=ggl", "step=adaptive"}, 1e-2},
    {"rattlie", {"integrator=rattlie", "order=2", "step=fixed"}, 16.0},
    {"rattlie4", {"integrator=rattlie", "order=4", "step=fixed"}, 32.0},
    {"rattlie6", {"integrator=rattlie", "order=6", "step=fixed"}, 64.0},
    {"rattlie8", {"integrator=rattlie", "order=8", "step=fixed"}, 64.0},
    {"lobatto2", {"integrator=lobatto", "stages=2", "step=fixed"}, 16.0},
    {"lobatto3", {"integrator=lobatto", "stages=3", "step=fixed"}, 32.0},
    {"lobatto4", {"integrator=lobatto", "stages=4", "step=fixed"}, 64.0},
    {"lobatto5", {"integrator=lobatto", "stages=5", "step=fixed"}, 128.0},
    {"lobatto6", {"integrator=lobatto", "stages=6", "step=fixed"}, 128.0},
    {"lobatto7", {"integrator=lobatto", "stages=7", "step=fixed"}, 128.0},
    {"lobatto8", {"integrator=lobatto", "stages=8", "step=fixed"}, 128.0},
    {"lobatto3, symmetric", {"integrator=lobatto", "stages=3", "step=fixed", "lambda=symmetric"}, 32.0},
    {"lobatto5, symmetric", {"integrator=lobatto", "stages=5", "step=fixed", "lambda=symmetric"}, 128.0},
    {"lobatto3, variational", {"integrator=lobatto", "stages=3", "step=fixed", "lambda=variational"}, 32.0},
    {"lobatto4, adaptive", {"integrator=lobatto", "stages=4", "step=adaptive"}, 1e-2},
    {"rk5", {"integrator=rk", "order=5", "step=adaptive"}, 1e-2},
    {"rk8", {"integrator=rk", "order=8", "step=adaptive"}, 1e-2},
    {"auto", {"integrator=auto", "order=8", "step=adaptive"}, 1e-2},
};

/* Over a second references take minutes (stiff beams, impacts), or coarse steps do (a top that slides, sticks and slides): ends of
 * these models, s. */
static const struct {
    const char *name;
    double end;
} brief[] = {{"clearance_slider_crank", 0.02}, {"domino", 0.05},   {"elastica", 0.02}, {"lee_frame", 0.05},
             {"rotating_blade", 5e-4},         {"tippe_top", 0.02}};

typedef struct job {
    const char *name;
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    const dal_system *sys;
    dal_samples ref;
    double T, way;
    char said[256]; /* the warning about stability */
} job;

typedef struct outcome {
    double error, time;
    long steps;
    char note[256];
} outcome;

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void hear(dal_log_level level, const char *text, void *user)
{
    job *j = user;
    (void)level;
    if (strstr(text, "limited by stability") != NULL) {
        (void)snprintf(j->said, sizeof j->said, "%.250s", text);
    }
}

static void print_row(const job *j, const char *name, const char *by, double setting, const outcome *o)
{
    printf("%s,%g,\"%s\",%s,%.6g,%.4e,%.5g,%ld,\"", j->name, j->T, name, by, setting, o->error, 1e3 * o->time,
           o->steps);
    for (const char *s = o->note; *s; ++s) {
        putchar(*s == '"' || *s == '\n' ? '\'' : *s);
    }
    printf("\"\n");
    fflush(stdout);
}

/* The model and its exact state at the end; 0 if there is none. */
static int open_job(job *j)
{
    const dal_config config = {.log = hear, .user = j};
    bench_ok(NULL, dal_ctx_create(&j->ctx, &config));
    bench_ok(j->ctx, dal_document_open(&j->doc, j->ctx, j->name, NULL, 0));
    j->model = dal_document_model(j->doc);
    bench_ok(j->ctx, dal_model_compile(j->model, &j->sys));
    bench_ok(j->ctx, dal_document_assemble(j->doc, NULL, j->sys));
    j->T = fmin(dal_document_t_end(j->doc), 1.0);
    for (int k = 0; k < LEN(brief); ++k) {
        j->T = strcmp(j->name, brief[k].name) == 0 ? brief[k].end : j->T;
    }
    double t[SAMPLES + 1];
    for (int i = 0; i <= SAMPLES; ++i) {
        t[i] = j->T * i / SAMPLES;
    }
    bench_ok(j->ctx, dal_samples_init(&j->ref, j->ctx, j->sys, t, SAMPLES + 1));
    outcome o = {.time = NAN};
    dal_error known;
    const dal_status st = dal_reference(&j->ref, &known, j->ctx, j->sys, 0.0, dal_model_q0(j->model),
                                        dal_model_v0(j->model), dal_document_options(j->doc), 1e-13);
    j->way = dal_samples_size(j->sys->group, &j->ref).q;
    o.error = known.q / j->way;
    if (st != DAL_OK || j->way < 1e-9) {
        (void)snprintf(o.note, sizeof o.note, "%.250s", st != DAL_OK ? dal_ctx_message(j->ctx) : "at rest");
    }
    print_row(j, "reference", "-", 0.0, &o);
    return o.note[0] == '\0';
}

static void close_job(job *j)
{
    dal_samples_release(&j->ref);
    dal_document_destroy(j->doc);
    dal_ctx_destroy(j->ctx);
}

/* One rung: the least time of at least three runs and 10 ms, unless a run takes long. */
static outcome measure(job *j, const dal_options *opt)
{
    outcome o = {NAN, NAN, 0, ""};
    dal_sim *sim = NULL;
    dal_status st = dal_sim_create(&sim, j->ctx, j->sys, opt);
    double total = 0.0;
    j->said[0] = '\0';
    for (int k = 0; st == DAL_OK && (k < 3 || total < 0.01) && total < 0.05; ++k) {
        const double start = cpu();
        st = dal_sim_start(sim, NULL, 0.0, dal_model_q0(j->model), dal_model_v0(j->model));
        st = st == DAL_OK ? dal_sim_run(sim, NULL, j->T) : st;
        const double time = cpu() - start;
        total += time;
        o.time = fmin(o.time, time);
    }
    o.steps = sim != NULL ? dal_sim_stats(sim).steps : 0;
    if (st == DAL_OK) {
        o.error = dal_distance(j->sys->group, dal_sim_state(sim).q, j->ref.q + SAMPLES * j->ref.nq) / j->way;
        (void)snprintf(o.note, sizeof o.note, "%.250s", j->said);
    } else {
        (void)snprintf(o.note, sizeof o.note, "%.250s", dal_ctx_message(j->ctx));
    }
    dal_sim_destroy(sim);
    return o;
}

static void climb(job *j, const method *me)
{
    dal_options opt = *dal_document_options(j->doc), resolved = opt;
    dal_options_resolve(&resolved);
    const double h = resolved.h;
    opt.sigma = 1.0;
    opt.sigma_rule = 0;
    opt.formulation = DAL_FORMULATION_INDEX3;
    opt.integrator = DAL_INTEGRATOR_GENALPHA;
    for (int i = 0; i < LEN(me->set) && me->set[i] != NULL; ++i) {
        bench_ok(j->ctx, dal_options_parse(j->ctx, dal_options_table(), &opt, me->set[i]));
    }
    const int adaptive = opt.step == DAL_STEP_ADAPTIVE;
    opt.step_atol = 1e-15;
    opt.max_steps = 400000;
    for (int k = 0; k < RUNGS; ++k) {
        const double setting = me->first * pow(adaptive ? 0.1 : 0.5, k) * (adaptive ? 1.0 : h);
        *(adaptive ? &opt.step_rtol : &opt.h) = setting;
        if (adaptive ? setting < 1e-14 : setting > j->T) {
            continue;
        }
        const outcome o = measure(j, &opt);
        print_row(j, me->name, adaptive ? "tolerance" : "h", setting, &o);
        const int reached = o.error < enough && (!adaptive || setting < 2e-11);
        if (reached || o.time > (isfinite(o.error) ? limit : 1.0)) {
            break;
        }
    }
}

static void work(const char *name)
{
    job j = {.name = name};
    if (open_job(&j)) {
        for (int m = 0; m < LEN(methods); ++m) {
            climb(&j, &methods[m]);
        }
    }
    close_job(&j);
}

int main(int argc, char **argv)
{
    printf("model,end,method,by,setting,error,ms,steps,note\n");
    for (int k = 1; k < argc; ++k) {
        work(argv[k]);
    }
    for (int k = 0; argc == 1 && k < dal_builtin_count(); ++k) {
        work(dal_builtin_model(k).name);
    }
    return 0;
}
