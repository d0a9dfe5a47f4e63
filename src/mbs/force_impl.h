/* What the files of forces share. */
#ifndef DAL_MBS_FORCE_IMPL_H
#define DAL_MBS_FORCE_IMPL_H

#include "mbs/mbs_impl.h"

/* A force against the increase of a coordinate c, and its derivatives with respect to c and c'. */
typedef struct mb_law {
    double Q, Qc, Qd;
} mb_law;

/* A coordinate at a point: value, rate and gradient. */
typedef struct mb_along {
    mb_pairing P;
    double c, cd, g[12];
    double reach; /* of an angle: see mb_coordinate_value */
} mb_along;

void mb_along_at(mb_along *a, const mb_instance *m, const mb_marker marker[2], const mb_row *row, double t);
/* r += g Q, and its tangents (MB.9). */
void mb_along_force(mb_instance *m, const mb_marker marker[2], const mb_along *a, double Q);
void mb_along_tangent(mb_instance *m, dal_sink *sink, const mb_marker marker[2], const mb_row *row, const int pair[2],
                      const mb_along *a, mb_law l);
/* e = c - reference(t) and its rate. */
void mb_elongation(double e[2], const mb_force *f, mb_instance *m, double t, const mb_along *a);
/* Value F and slope g of a force along a line at x; 0: not finite. */
typedef int (*mb_line)(double *F, double *g, double x, const void *user);
/* Has it a kink at x? Then *slope becomes the mean of the slopes on both sides. */
dal_kink mb_kink_at(double *slope, mb_line line, const void *user, double x);
/* Kinks of a law in each of its inputs, the worst of them; Fk, its derivatives, become means there. */
dal_kink mb_law_kink(double *Fk, const mb_force *f, mb_instance *m, const dal_point *at);
/* The law of a force or a state at a point: its value, and derivatives if Fk is not NULL. */
static inline dal_functions mb_functions(const mb_instance *m)
{
    return (dal_functions){m->function, m->of->function_names.n};
}

/* A delay: its value, as those see it that read it. */
double mb_delayed(const mb_force *f, mb_instance *m, const dal_point *at);
/* Numbers of the memory that this value follows from, and their weights; how many, 0: there is no history. */
enum { MB_DELAY_POINTS = 4 };
int mb_delayed_from(int slot[MB_DELAY_POINTS], double weight[MB_DELAY_POINTS], const mb_force *f, const mb_instance *m,
                    double t);
double mb_law_value(double *Fk, const mb_force *f, mb_instance *m, const dal_point *at);
int mb_law_angle(mb_turning *a, const mb_force *f, int k);
/* `recalled` of what reads delays. exert: a value of the force F, to r or the frames */
void mb_law_recalled(struct mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at,
                     void (*exert)(double *r, const mb_force *f, mb_instance *m, const dal_point *at, double F));
/* Gradient of an input on the frames of its bodies and its rate of change. */
void mb_input_gradient(double g6[2][6], double z6[2][6], const mb_input *in, const mb_instance *m, const dal_point *at);
/* reaction.c: an input that is a reaction; weights of the multipliers of one of its blocks; gradient on the frames of its bodies. */
double mb_reaction(const mb_input *in, mb_instance *m, const dal_point *at);
const mb_constraint *mb_reaction_block(double w[MB_ROWS], const mb_input *in, int block, const mb_instance *m);
void mb_reaction_gradient(double g6[2][6], const mb_input *in, const mb_instance *m, const dal_point *at);
/* A pid: which blocks it has, its row, the start of its integral. */
void mb_connect_pid(mb_plan *plan, void *force);
dal_status mb_pid_build(dal_model *m, int force) DAL_NODISCARD;
void mb_pid_start(double *v0, const mb_force *f, mb_instance *m);
/* Coordinates that an input measures, on its side j. */
mb_columns mb_columns_of_input(const mb_plan *plan, const mb_input *in, int j);
/* Columns of K of the integral of a pid: its force on the two bodies. */
void mb_pid_columns(const mb_force *f, const mb_instance *m, dal_sink *sink, const mb_along *a);

/* All that a force does is dissipation (drag, friction); is fed in from outside (actuator, control). */
void mb_exchange_loss(double P[2], const void *force, mb_instance *m, const dal_point *at);
void mb_exchange_feed(double P[2], const void *force, mb_instance *m, const dal_point *at);

dal_status mb_check_actuator(const mb_scope *s, mb_force *f, const dal_force *d);
dal_status mb_check_law(const mb_scope *s, mb_force *f, const dal_force *d);
dal_status mb_check_friction(const mb_scope *s, mb_force *f, const dal_force *d);

#endif
