#define _POSIX_C_SOURCE 200809L

#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reproduce/figures.h"
#include "reproduce/memo.h"
#include "reproduce/report.h"
#include "reproduce/workers.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A run of the claims index[0 .. n-1]. */
typedef struct session {
    const int *index;
    int n, next, width; /* next: rows before it are printed */
    int details, json;
    outcome *outcome;
    char *known; /* is there an outcome? */
    tally tally;
    FILE *out;
} session;

static void measure(int k, void *result, void *user)
{
    const session *s = user;
    const claim *c = claim_at(s->index[k]);
    outcome *o = result;
    dal_ctx *ctx;
    o->measured = NAN;
    if (dal_ctx_create(&ctx, NULL) == DAL_OK) {
        o->measured = claim_measure(c, ctx);
        (void)snprintf(o->message, sizeof o->message, "%s", dal_ctx_message(ctx));
        dal_ctx_destroy(ctx);
    }
}

/* Rows are printed in the order of the table, as soon as all before them are known. */
static void collect(int k, const void *result, void *user)
{
    session *s = user;
    outcome *o = &s->outcome[k];
    if (result != NULL) {
        memcpy(o, result, sizeof *o);
    } else {
        *o = (outcome){.measured = NAN, .message = "the worker process died"};
    }
    s->known[k] = 1;
    s->tally.verdict[claim_judge(claim_at(s->index[k]), o->measured)]++;
    while (!s->json && s->next < s->n && s->known[s->next]) {
        report_row(s->out, claim_at(s->index[s->next]), &s->outcome[s->next], s->width, s->details);
        fflush(s->out);
        s->next++;
    }
}

static int run_claims(const int *index, int n, const reproduce_options *opt, FILE *out)
{
    session s = {.index = index, .n = n, .width = report_width(index, n), .json = opt->json, .out = out};
    s.details = opt->n > 0;
    s.outcome = calloc((size_t)n + 1, sizeof *s.outcome);
    s.known = calloc((size_t)n + 1, 1);
    const double start = seconds_now();
    if (s.outcome != NULL && s.known != NULL) {
        if (!opt->json) {
            report_head(out, index, n);
        }
        const workers w = {.n = n,
                           .jobs = opt->jobs > 0 ? opt->jobs : 2,
                           .size = sizeof(outcome),
                           .user = &s,
                           .task = measure,
                           .done = collect};
        memo_open();
        workers_run(&w);
        if (opt->json) {
            report_json(out, index, n, s.outcome, &s.tally);
        } else {
            report_end(out, &s.tally, seconds_now() - start);
        }
    }
    const int bad = s.outcome == NULL || s.known == NULL || s.tally.verdict[CLAIM_FAILED] > 0;
    free(s.outcome);
    free(s.known);
    return bad;
}

/* Indices of the claims asked for; 0 and a complaint if one is unknown. */
static int select_claims(int *index, int *n, const reproduce_options *opt, FILE *err)
{
    *n = opt->n > 0 ? opt->n : claim_count();
    for (int k = 0; k < *n; ++k) {
        index[k] = opt->n > 0 ? claim_find(opt->id[k]) : k;
        if (index[k] < 0) {
            const char *near = claim_nearest(opt->id[k]);
            fprintf(err,
                    near != NULL ? "dalembert reproduce: unknown claim '%s' (did you mean '%s'?)\n"
                                 : "dalembert reproduce: unknown claim '%s' (--list names them)\n",
                    opt->id[k], near);
            return 0;
        }
    }
    return 1;
}

int reproduce_main(const reproduce_options *opt, FILE *out, FILE *err)
{
    const int most = claim_count() > opt->n ? claim_count() : opt->n;
    int n, code = 2, *index = calloc((size_t)most + 1, sizeof *index);
    if (index != NULL && select_claims(index, &n, opt, err)) {
        code = 0;
        if (opt->list) {
            report_list(out, index, n, opt->json);
        } else {
            code = run_claims(index, n, opt, out);
            if (opt->plot != NULL && !figures_draw(opt->plot, opt->jobs > 0 ? opt->jobs : 2, err)) {
                code = 2;
            }
        }
    }
    free(index);
    return code;
}
