/* Derivatives of a start: positions and velocities made consistent, accelerations, v'', starting values, and the transposes of
 * these derivatives (docs/theory/gradient.md, (GR.10), (GR.11)). */
#ifndef DAL_INIT_VARIATION_H
#define DAL_INIT_VARIATION_H

#include "init/initial.h"
#include "linearize/blocks.h"

/* What a start consists of. */
typedef struct dal_start_plan {
    double t, h;
    int position;  /* positions are made consistent */
    int velocity;  /* and velocities */
    int jerk;      /* v'' is wanted: a = v' + D h v'' (IN.1) */
    int one_sided; /* by a difference to one side */
    int perturb;   /* v off the constraints by (IN.3) */
    double D, C_q, C_h;
} dal_start_plan;

enum { DAL_VARIATION_ITERATES = 40 }; /* most steps back to the constraints */

typedef struct dal_variation {
    dal_saddle *s;
    dal_eval *ev;
    dal_dependence *p; /* NULL: none */
    dal_blocks block;
    dal_start_plan plan;
    int nv, nc, nq, ny; /* ny: of a state (q, v, a, v', lambda), 4 nv + nc */
    int niterates;
    /* q, d, y of the steps back to the constraints; the last q is consistent */
    double *q, *d, *y;
    double *given_v, *v, *y_v; /* (PR.2): before, after, multipliers */
    double *vd, *la;
    double *z[2], *part[2];                      /* nv + nc: solutions of (IN.6) at both sides; what v'' has of each */
    double *along;                               /* nv + nc four times: points along them */
    double *vdd, *l, *perturbed, *y_p;           /* nv, nv, nv: d of (IN.3); nc */
    double *a, *v0;                              /* results */
    double *mask;                                /* nc: 1 for rows that (IN.3) is about */
    double *q1, *theta, *v1, *w, *zero, *answer; /* scratch */
    double *T, *Ad;                              /* nv x nv of factors, one after the other */
    double *E, *X;                               /* scratch of products: (nv + nc) x room, 4 nv + 2 nc x room */
    int room;                                    /* columns at a time */
    int factored;                                /* the saddle matrix is that of the last q: 1 without, 2 with forces */
    dal_arena arena;
} dal_variation;

/* `room`: most columns of a product. The saddle system is used: its factors are lost. */
dal_status dal_variation_init(dal_variation *x, dal_ctx *ctx, dal_saddle *s, dal_dependence *p, int room) DAL_NODISCARD;
void dal_variation_release(dal_variation *x);

/* Go through the start from q and v. Results: the last q, v0, a, vd, la. */
dal_status dal_variation_at(dal_variation *x, const dal_start_plan *plan, const double *q,
                            const double *v) DAL_NODISCARD;
const double *dal_variation_q(const dal_variation *x);
/* Y (ny x count): q and v of the values given become the state that the run starts with. dp: n x count. */
dal_status dal_variation_forward(dal_variation *x, double *Y, const double *dp, int count) DAL_NODISCARD;
/* The transpose: what the state is weighed with becomes what the values given are weighed with; pbar (n x count) is added to. */
dal_status dal_variation_adjoint(dal_variation *x, double *Y, double *pbar, int count) DAL_NODISCARD;

#endif
