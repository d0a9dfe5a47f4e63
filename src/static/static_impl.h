/* The search for an equilibrium: what its files share. */
#ifndef DAL_STATIC_STATIC_IMPL_H
#define DAL_STATIC_STATIC_IMPL_H

#include "dalembert/static.h"
#include "linearize/bordered.h"
#include "linearize/linearization.h"
#include "projection/reduce.h"
#include "projection/saddle.h"

/* Systems with more velocities than this are judged by Lanczos' method. */
enum { STATIC_DENSE = 240 };

/* What is added to the diagonal of K, as a part of its largest entry: 1e-10; 1e-15; nothing. */
typedef enum static_sharpness { STATIC_SOFT, STATIC_SHARP, STATIC_EXACT } static_sharpness;

typedef struct statics {
    dal_bordered matrix; /* first: [[K + mu I, B^T], [B, 0]] (ST.3) */
    dal_saddle *rows;    /* [[I, B^T], [B, 0]] */
    void (*push_pair)(dal_sink *sink, int pair, const double *M, const double *C, const double *K);
    double kmax, kwork; /* largest entry of K, of the last fill with K; the same in units of displacements */
    dal_ctx *ctx;
    const dal_system *sys; /* as given */
    dal_data *data, *own;
    dal_reduction *red;       /* NULL: no constraints */
    dal_eval *ev;             /* likewise; its sizes are nv, nc */
    const dal_scales *scales; /* of its rows and displacements */
    dal_linearization *lin;
    int nq, nv, nc;
    double t, tol;
    unsigned methods;      /* that may be tried */
    double *q, *la;        /* present state */
    double *q1, *v1, *la1; /* trial */
    double *v;             /* zero, but for the states of the system */
    int *state;            /* nv: is it one? */
    int nstates;
    double *r, *Phi;                                 /* at the present state: nv, nc */
    double *r0;                                      /* forces that are out of balance at the start */
    double *x, *y;                                   /* nv + nc: right-hand side, solution */
    double *d, *f, *w;                               /* nv: step, force along the free directions, scratch */
    double *zero;                                    /* max(nv, nc) zeros */
    double *from;                                    /* where the search begins again with other contacts */
    double *given;                                   /* q as given */
    double *start, *start_v, *saved;                 /* where the search begins: q, v, memory of the data */
    double *q_kept, *v_kept, *la_kept, *memory_kept; /* a state to come back to */
    double load;                                     /* part of r0 that is taken off: 0 at the full load */
    double F, F0; /* size of the loads, in units of displacements: now, at the start */
    int iterations;
    static_sharpness sharp; /* but for soft, full steps while the steps that would follow shrink */
    double step;            /* size of the last step of Newton, in units of displacements */
    int turns;              /* the axes turn */
    double turning[3], centre[3];
    double length;      /* size of the system, for gaps of contacts */
    int touched;        /* those that touched at an equilibrium have been closed */
    double *gap, *rate; /* of all rows, those of contacts */
    double *vd, *block; /* accelerations then, else zero; a pair of the largest size */
    dal_arena arena;
} statics;

dal_point dal_statics_point(const statics *s, const double *la);
/* The largest work of forces f (nv) along a unit of displacement; NaN if one is. */
double dal_statics_work(const statics *s, const double *f);
/* r and Phi at the present state, the load counted; F. */
dal_status dal_statics_evaluate(statics *s) DAL_NODISCARD;
/* q1, v1: the present state moved by scale d. */
void dal_statics_move(statics *s, const double *d, double scale);
/* Fill with K and mu on the diagonal, at least 1e-10 of the largest entry of K, and factor; the other matrix. */
dal_status dal_statics_factor(statics *s, double mu) DAL_NODISCARD;
dal_status dal_statics_factor_rows(statics *s) DAL_NODISCARD;
/* The state is final: turns of angles are counted from here. */
dal_status dal_statics_accept(statics *s, dal_moment moment) DAL_NODISCARD;

/* touch.c: contacts that are closed at the guess; others after an attempt (found: an equilibrium of those). */
dal_status dal_statics_touch(statics *s) DAL_NODISCARD;
dal_status dal_statics_retouch(statics *s, int *changed, int found, int round) DAL_NODISCARD;

/* Make all that is needed and find an equilibrium; ctx, sys, data and t are set. */
dal_status dal_statics_open(statics *s, dal_static_report *report, const double *q, const double *v,
                            const dal_static_options *opt) DAL_NODISCARD;
void dal_statics_close(statics *s);
/* Gaps of all rows, and the multipliers of all rows into la1 and la (may be NULL). */
dal_status dal_statics_finish(statics *s, double *la, dal_static_report *report) DAL_NODISCARD;

/* Back to the guess, with the multipliers that leave the least force. */
dal_status dal_statics_begin(statics *s) DAL_NODISCARD;
/* search.c. *found: 1 if it converged. */
dal_status dal_statics_newton(statics *s, int *found) DAL_NODISCARD;
dal_status dal_statics_load_steps(statics *s, int *found) DAL_NODISCARD;
/* To where the step x, of q and lambda, leads. */
void dal_statics_step(statics *s, double scale);
/* Keep the present state, and return to it. */
void dal_statics_keep(statics *s);
void dal_statics_go_back(statics *s);
/* relax.c. If it does not converge, d is the direction of the last step. */
dal_status dal_statics_relax(statics *s, int *found) DAL_NODISCARD;
/* Multipliers that leave the least force, into la, and that force into f (times -1: where it drives). */
dal_status dal_statics_multipliers(statics *s) DAL_NODISCARD;
/* How far q is from the start of the search, in units of displacements. */
double dal_statics_way(const statics *s);

/* turning.c: v and vd of the present place, and K + C H + M D H of a pair. (ST.7) */
void dal_statics_turn(const statics *s);
const double *dal_statics_turned(const statics *s, int pair, const double *M, const double *C, const double *K);

/* stability.c: the part of the report on stability, at the present state. */
dal_status dal_statics_judge(statics *s, dal_static_report *report) DAL_NODISCARD;

#endif
