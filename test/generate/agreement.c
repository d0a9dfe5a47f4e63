#include "generate/agreement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

void path_of(char *to, size_t size, const char *model)
{
    snprintf(to, size, DAL_ELEMENTS "/%s.json", model);
}

char *text_of(const char *path)
{
    enum { SIZE = 1 << 17 };
    FILE *file = fopen(path, "r");
    char *text = calloc(1, SIZE);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, SIZE - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void change_bits(double *x, int n, unsigned bits)
{
    for (int i = 0; i < n && bits > 0; ++i) {
        x[i] = nextafter(x[i], ((unsigned)i / bits) % 2 == 0 ? -INFINITY : INFINITY);
    }
}

void library_open(library *l, const char *model, const char *const *set, int nset, unsigned bits)
{
    assert_int_equal(dal_ctx_create(&l->ctx, NULL), DAL_OK);
    if (dal_document_open(&l->doc, l->ctx, model, set, nset) != DAL_OK) {
        fail_msg("%s: %s", model, dal_ctx_message(l->ctx));
    }
    l->model = dal_document_model(l->doc);
    assert_int_equal(dal_model_compile(l->model, &l->sys), DAL_OK);
    assert_int_equal(dal_document_assemble(l->doc, NULL, l->sys), DAL_OK);
    assert_int_equal(dal_sim_create(&l->sim, l->ctx, l->sys, dal_document_options(l->doc)), DAL_OK);
    const int nq = l->sys->group->nq, nv = l->sys->group->nv;
    double *q = calloc((size_t)nq + (size_t)nv, sizeof *q);
    assert_non_null(q);
    memcpy(q, dal_model_q0(l->model), (size_t)nq * sizeof *q);
    memcpy(q + nq, dal_model_v0(l->model), (size_t)nv * sizeof *q);
    change_bits(q, nq + nv, bits);
    assert_int_equal(dal_sim_start(l->sim, NULL, 0.0, q, q + nq), DAL_OK);
    free(q);
}

void library_close(library *l)
{
    dal_sim_destroy(l->sim);
    dal_document_destroy(l->doc);
    dal_ctx_destroy(l->ctx);
}

/* Differences so far, and the sizes to which they are relative. */
typedef struct tally {
    difference most, size;
} tally;

static void note(double *most, double *size, const double *a, const double *b, int n)
{
    for (int i = 0; i < n; ++i) {
        *most = fmax(*most, fabs(a[i] - b[i]));
        *size = fmax(*size, fabs(b[i]));
    }
}

static void note_step(tally *t, const double *q, const double *v, double E, const library *l)
{
    const dal_state s = dal_sim_state(l->sim);
    double own;
    note(&t->most.q, &t->size.q, q, s.q, l->sys->group->nq);
    note(&t->most.v, &t->size.v, v, s.v, l->sys->group->nv);
    if (dal_sim_energy(l->sim, &own) == DAL_OK) {
        note(&t->most.E, &t->size.E, &E, &own, 1);
    }
}

static difference relative(const tally *t)
{
    return (difference){t->most.q / t->size.q, t->most.v / t->size.v, t->most.E / t->size.E};
}

static difference larger(difference a, difference b)
{
    return (difference){fmax(a.q, b.q), fmax(a.v, b.v), fmax(a.E, b.E)};
}

agreement agreement_over(const char *model, const char *const *set, int nset, int steps, const char *flags)
{
    enum { RUNS = 4 };
    library l[RUNS];
    tally t[RUNS];
    program p;
    agreement a = {0};
    for (unsigned k = 0; k < RUNS; ++k) {
        library_open(&l[k], model, set, nset, k);
        t[k] = (tally){.size = {1e-300, 1e-300, 1.0}};
    }
    program_open(&p, model, set, nset, NULL, flags);
    for (int n = 0; n < steps; ++n) {
        assert_int_equal(p.step(p.state), 0);
        assert_int_equal(dal_sim_step(l[0].sim), DAL_OK);
        note_step(&t[0], p.q(p.state), p.v(p.state), p.energy(p.state), &l[0]);
        for (int k = 1; k < RUNS; ++k) {
            double E = 0.0;
            assert_int_equal(dal_sim_step(l[k].sim), DAL_OK);
            const dal_state s = dal_sim_state(l[k].sim);
            (void)!dal_sim_energy(l[k].sim, &E);
            note_step(&t[k], s.q, s.v, E, &l[0]);
        }
    }
    a.program = relative(&t[0]);
    for (int k = 0; k < RUNS; ++k) {
        a.rounding = k > 0 ? larger(a.rounding, relative(&t[k])) : a.rounding;
        library_close(&l[k]);
    }
    program_close(&p);
    return a;
}

void assert_agrees(const char *model, const agreement *a)
{
    print_message("%-28s q %.1e v %.1e E %.1e   last bits: q %.1e v %.1e E %.1e\n", model, a->program.q, a->program.v,
                  a->program.E, a->rounding.q, a->rounding.v, a->rounding.E);
    assert_near(a->program.q, 0.0, fmax(1e-12, 4.0 * a->rounding.q));
    assert_near(a->program.v, 0.0, fmax(1e-12, 4.0 * a->rounding.v));
    assert_near(a->program.E, 0.0, fmax(1e-12, 4.0 * a->rounding.E));
}
