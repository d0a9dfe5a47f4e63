/* Loads at a frame of one body: forces and torques in world axes or turning with the body, and drag. */
#include "mbs/force_impl.h"
#include "mbs/force_kernel.h"

static void load_at(mb_pairing *P, double F[3], const mb_force *f, mb_instance *m, double t)
{
    double y[3] = {1.0, 0.0, 0.0}, w[3];
    mb_pairing_at(P, m->state, f->marker, 0, MB_AXES_B);
    if (f->d.function > 0) {
        mb_function_at(y, m, f->d.function, t, "force", m->of->force_names.name[f - m->force]);
    }
    scale3(w, y[0], f->d.vector);
    if (f->d.follower) {
        mat3_mul_vec(F, P->side[1].E, 3, w);
    } else {
        copy3(F, w);
    }
}

static void load_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    static const double zero[3];
    mb_pairing P;
    double F[3];
    load_at(&P, F, f, m, at->t);
    scale3(F, -1.0, F);
    const int torque = f->type->load == MB_LOAD_TORQUE;
    mb_add_wrench(m->body[f->marker[1].body].r6, &P.side[1], torque ? zero : F, torque ? F : zero);
}

/* r = -F; a follower turns with the body: -dF = F~ phi */
static void load_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    (void)sink;
    static const double zero[3];
    const int torque = f->type->load == MB_LOAD_TORQUE;
    mb_pairing P;
    mb_hessian H = {0};
    double F[3], minus[3], *K = m->body[f->marker[1].body].K;
    load_at(&P, F, f, m, at->t);
    scale3(minus, -1.0, F);
    mb_arm_terms(K, &P.side[1], torque ? zero : minus, torque ? minus : NULL);
    if (f->d.follower) {
        add_tilde(H.H[1][torque][1][1], 1.0, F);
        mb_hessian_to_body(K, &H, &P, 1, 1, 0);
    }
}

/* A constant force in world axes has the potential -F.p; others have none. */
static int has_potential(const mb_force *f)
{
    return !f->d.follower && f->d.function == DAL_NO_FUNCTION;
}

static void load_potential(double *V, const void *self, mb_instance *m, double t)
{
    const mb_force *f = self;
    mb_pairing P;
    double F[3];
    if (!has_potential(f)) {
        return;
    }
    load_at(&P, F, f, m, t);
    *V += -dot3(F, P.side[1].p);
}

static void force_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_force *f = self;
    P[0] = P[1] = 0.0;
    if (!has_potential(f)) {
        mb_exchange_feed(P, f, m, at);
    }
}

static void force_wrench(double w[6], const mb_force *f, mb_instance *m, const dal_point *at)
{
    mb_pairing P;
    load_at(&P, w, f, m, at->t);
}

static void torque_wrench(double w[6], const mb_force *f, mb_instance *m, const dal_point *at)
{
    mb_pairing P;
    load_at(&P, w + 3, f, m, at->t);
}

/* A follower needs the axes of frame B, a torque a body that can turn. */
static unsigned load_turns(const mb_force *f)
{
    return f->d.follower || f->type->load == MB_LOAD_TORQUE ? MB_AXES_B : 0U;
}

static const dal_key load_keys[] = {
    MB_KEY(VECTOR, "vector", dal_force, vector, "N or N m", "what acts", MB_REQUIRED),
    MB_KEY(FLAG, "follower", dal_force, follower, "", "in the axes of the frame instead of the world", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", dal_force, function, "", "factor over time", MB_OPTIONAL)};

const mb_force_type mb_force_force = {.name = "force",
                                      .about = MB_ABOUT("A force on a body.", BODY, load_keys),
                                      .load = MB_LOAD_FORCE,
                                      .alone = 1,
                                      .turns_of = load_turns,
                                      .wrench = force_wrench,
                                      .element = {.wants = MB_WANTS_FORCE,
                                                  .residual = load_residual,
                                                  .tangent = load_tangent,
                                                  .potential = load_potential,
                                                  .exchange = force_exchange}};
const mb_force_type mb_force_torque = {
    .name = "torque",
    .about = MB_ABOUT("A torque on a body.", BODY, load_keys),
    .load = MB_LOAD_TORQUE,
    .alone = 1,
    .turns_of = load_turns,
    .wrench = torque_wrench,
    .element = {
        .wants = MB_WANTS_FORCE, .residual = load_residual, .tangent = load_tangent, .exchange = mb_exchange_feed}};

/* ---- drag ------------------------------------------------------------------------------------- */

static void drag_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    (void)at;
    static const double zero[3];
    mb_pairing P;
    double F[3], D[9];
    mb_pairing_at(&P, m->state, f->marker, 1, 0);
    force_drag(F, D, f->d.damping, f->d.quadratic, P.side[1].pd);
    mb_add_wrench(m->body[f->marker[1].body].r6, &P.side[1], F, zero);
}

/* D = (damping + quadratic |v|) I + quadratic v v^T/|v|; v turns with the body: dv = -(omega x s)~ phi */
static void drag_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    (void)sink, (void)at;
    mb_pairing P;
    mb_hessian C = {0}, K = {0};
    double F[3], turn[3];
    mb_pairing_at(&P, m->state, f->marker, 1, 0);
    double *D = C.H[1][0][1][0];
    force_drag(F, D, f->d.damping, f->d.quadratic, P.side[1].pd);
    scale3(turn, -1.0, P.side[1].ws);
    mul_tilde(K.H[1][0][1][1], 3, D, turn);
    mb_body *b = &m->body[f->marker[1].body];
    mb_hessian_to_body(b->C, &C, &P, 1, 1, 0);
    mb_hessian_to_body(b->K, &K, &P, 1, 1, 0);
    mb_arm_terms(b->K, &P.side[1], F, NULL);
}

static const dal_key drag_keys[] = {
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "linear in the velocity", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "quadratic", dal_force, quadratic, "N s^2/m^2", "in its square", MB_OPTIONAL, MB_NOT_NEGATIVE)};

const mb_force_type mb_force_drag = {
    .name = "drag",
    .about = MB_ABOUT_ONE_OF("-(damping + quadratic |v|) v at a point with velocity v.", BODY, drag_keys,
                             "damping|quadratic"),
    .alone = 1,
    .element = {
        .wants = MB_WANTS_FORCE, .residual = drag_residual, .tangent = drag_tangent, .exchange = mb_exchange_loss}};
