/* Contact with a compliant law (CT.16): solids press each other apart with F = k delta^n (1 + D delta'/v), and friction mu F u/sqrt(u^2 + s^2), or
 * of bristles (CT.25).
 * v is the speed of approach at touch-down. It is remembered, per point of contact, with the features that touch; while a point is open both
 * are those of the last final state. */
#include "base/message.h"
#include "mbs/compliant_kernel.h"
#include "mbs/contact_impl.h"
#include "mbs/contact_kernel.h"
#include "mbs/force_impl.h"
#include "mbs/meeting_impl.h"

enum { FEATURE, SPEED, BENT, SLID = BENT + 2, REMEMBERED = SLID + 2 };

/* A point of contact at a state: rows of the gap and of two sliding velocities, forces against their increase and their derivatives. */
typedef struct point {
    mb_marker marker[2];
    mb_row row[3];
    mb_pairing P;
    double g[3][12], rate[3];
    compliant_force law;
    double Q[3], Qc[3], Qd[3][3];
    double bent[2]; /* bristles */
    double lost;    /* power */
} point;

static mb_solid_kind solid_a(int word)
{
    static const mb_solid_kind kind[] = {MB_SOLID_PLANE, MB_SOLID_SPHERE, MB_SOLID_CAPSULE, MB_SOLID_BOX,
                                         MB_SOLID_CYLINDER};
    return word >= 0 && word < 5 ? kind[word] : MB_SOLID_PLANE;
}

static int meeting_of(mb_meeting *X, const dal_model *m, const mb_marker marker[2], const dal_force *d,
                      const mb_curve *curve)
{
    dal_joint like = {.body_a = marker[0].body,
                      .body_b = marker[1].body,
                      .radius = d->radius,
                      .radius_a = d->radius_a,
                      .length = d->length,
                      .length_a = d->length_a,
                      .shape = d->shape};
    int planar = 0;
    copy3(like.size, d->size);
    copy3(like.size_a, d->size_a);
    for (int i = 0; i < 2 && m; ++i) {
        const mb_body_type *type = m->body[marker[i].body].type;
        planar |= type != NULL && type->planar;
    }
    return mb_meeting_of(X, m, &like, solid_a(d->shape_a), planar, curve);
}

static double *memory_of(const mb_force *f, const mb_instance *m)
{
    return m->memory && f->memory > 0 ? m->memory + f->memory : NULL;
}

/* The features that touch: those that are remembered where they do, else the closest ones. */
static int features_of(int number[MB_MEETINGS], mb_meeting *X, mb_pairing *P, const mb_force *f, const mb_instance *m)
{
    const double *memory = memory_of(f, m);
    if (!meeting_of(X, m->of, f->marker, &f->d, f->curve)) {
        return 0;
    }
    for (int k = 0; k < X->n; ++k) {
        number[k] = memory ? (int)memory[REMEMBERED * k + FEATURE] : 0;
    }
    mb_marker frame[2];
    mb_meeting_frames(frame, X, f->marker);
    mb_pairing_at(P, m->state, frame, 0, MB_AXES_A | MB_AXES_B);
    mb_meeting_choose(number, X, P);
    return X->n;
}

/* Least speed of approach that is told apart from rest. */
static double least_speed(const mb_force *f, const mb_meeting *X)
{
    return f->d.least_speed > 0.0 ? f->d.least_speed : 1e-2 * X->size;
}

/* Bristles: k z + c u, z = the way slid, at most mu F. Since the last final state, so much time ago, they were bent by the mean of the
 * sliding velocities then and now. */
static void bend(point *p, const mb_force *f, const double *own, double dt)
{
    const double k = f->d.bristle, slope = 0.5 * dt * k + f->d.bristle_damping, *u = p->rate + 1;
    double T[2], size = 0.0;
    for (int i = 0; i < 2; ++i) {
        T[i] = k * ((own ? own[BENT + i] : 0.0) + 0.5 * dt * (u[i] + (own ? own[SLID + i] : 0.0))) +
               f->d.bristle_damping * u[i];
        size = hypot(size, T[i]);
    }
    const int slides = size > f->d.mu * p->law.F;
    for (int i = 0; i < 2; ++i) {
        const double e = size > 0.0 ? T[i] / size : 0.0;
        p->Q[1 + i] = slides ? f->d.mu * p->law.F * e : T[i];
        p->Qc[1 + i] = slides ? f->d.mu * p->law.Fc * e : 0.0;
        p->Qd[1 + i][0] = slides ? f->d.mu * p->law.Fd * e : 0.0;
        for (int j = 0; j < 2; ++j) {
            const double turn = (i == j ? 1.0 : 0.0) - T[i] * T[j] / (size * size);
            p->Qd[1 + i][1 + j] = slides ? f->d.mu * p->law.F / size * turn * slope : i == j ? slope : 0.0;
        }
        p->bent[i] = (p->Q[1 + i] - (slides ? 0.0 : f->d.bristle_damping * u[i])) / k;
        p->lost += p->Q[1 + i] * u[i];
    }
}

static void find_friction(point *p, const mb_force *f)
{
    const double mu = f->d.mu, s = f->d.slip, *u = p->rate + 1, w = sqrt(u[0] * u[0] + u[1] * u[1] + s * s);
    for (int i = 0; i < 2; ++i) {
        const double e = mu * u[i] / w;
        p->Q[1 + i] = e * p->law.F;
        p->Qc[1 + i] = e * p->law.Fc;
        p->Qd[1 + i][0] = e * p->law.Fd;
        for (int j = 0; j < 2; ++j) {
            p->Qd[1 + i][1 + j] = mu * p->law.F * ((i == j ? 1.0 : 0.0) - u[i] * u[j] / (w * w)) / w;
        }
        p->lost += p->Q[1 + i] * u[i];
    }
}

/* Point k; 0: it is open. */
static int point_at(point *p, const mb_force *f, const mb_instance *m, const mb_meeting *X, int k, int number,
                    int level, double t)
{
    const double *memory = memory_of(f, m);
    mb_marker frame[2];
    mb_meeting_frames(frame, X, f->marker);
    *p = (point){.marker = {frame[0], frame[1]}};
    for (int i = 0; i < 3; ++i) {
        p->row[i] = (mb_row){.type = i == 0 ? &mb_row_touch : &mb_row_slide, .i = i == 0 ? 2 : i - 1};
        mb_meeting_load(p->marker, &p->row[i], X, frame, number);
    }
    mb_pairing_at(&p->P, m->state, p->marker, level, MB_AXES_A | MB_AXES_B);
    const double gap = p->row[0].type->phi(&p->row[0], &p->P);
    if (gap >= 0.0) {
        return 0;
    }
    for (int i = 0; i < 3; ++i) {
        p->row[i].type->gradient(p->g[i], &p->row[i], &p->P);
        p->rate[i] = row_rate(p->g[i], &p->P);
    }
    const double v = memory ? fmax(memory[REMEMBERED * k + SPEED], least_speed(f, X)) : least_speed(f, X);
    p->law = compliant_at(f->d.stiffness, f->d.exponent, f->row.c2 / v, gap, p->rate[0]);
    p->Q[0] = -p->law.F;
    p->Qc[0] = -p->law.Fc;
    p->Qd[0][0] = -p->law.Fd;
    p->lost = -(p->law.F - p->law.elastic) * p->rate[0];
    if (f->d.bristle > 0.0) {
        const int started = memory && m->memory[MB_MEMORY_STARTED] != 0.0;
        bend(p, f, started ? memory + (ptrdiff_t)REMEMBERED * k : NULL, started ? t - m->memory[MB_MEMORY_TIME] : 0.0);
    } else if (f->d.mu > 0.0) {
        find_friction(p, f);
    }
    return 1;
}

/* ---- as an element ---------------------------------------------------------------------------- */

static void contact_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    int number[MB_MEETINGS] = {0};
    mb_meeting X;
    mb_pairing frames;
    point p;
    for (int k = 0, n = features_of(number, &X, &frames, f, m); k < n; ++k) {
        double sum[12] = {0.0};
        if (!point_at(&p, f, m, &X, k, number[k], 1, at->t)) {
            continue;
        }
        for (int i = 0; i < 36; ++i) {
            sum[i % 12] += p.Q[i / 12] * p.g[i / 12][i % 12];
        }
        for (int i = 0; i < 2; ++i) {
            mb_add_wrench(m->body[p.marker[i].body].r6, &p.P.side[i], sum + 6 * i, sum + 6 * i + 3);
        }
    }
}

/* K += sum of Q H + g (Qc g_n + Qd z)^T, C += g Qd g^T over the three rows. */
static void push_point(mb_instance *m, dal_sink *sink, const mb_force *f, const point *p)
{
    double sum[12] = {0.0}, g6[3][2][6], z6[3][2][6], z[12];
    mb_hessian H = {0};
    for (int r = 0; r < 3; ++r) {
        p->row[r].type->hessian(&H, p->Q[r], &p->row[r], &p->P);
        mb_row_contract(z, &p->row[r], &p->P);
        for (int i = 0; i < 12; ++i) {
            sum[i] += p->Q[r] * p->g[r][i];
        }
        for (int i = 0; i < 2; ++i) {
            mb_gradient_to_body(g6[r][i], &p->P.side[i], p->g[r] + 6 * i);
            mb_rate_to_body(z6[r][i], &p->P.side[i], z + 6 * i, p->g[r] + 6 * i);
        }
    }
    for (int block = 0; block < 4; ++block) {
        const int i = block / 2, j = block % 2;
        double C6[36] = {0.0}, K6[36] = {0.0};
        if (p->marker[i].body == 0 || p->marker[j].body == 0) {
            continue;
        }
        for (int r = 0; r < 9; ++r) {
            const int a = r / 3, b = r % 3;
            for (int k = 0; k < 36; ++k) {
                const double x = g6[a][i][k % 6];
                C6[k] += x * p->Qd[a][b] * g6[b][j][k / 6];
                K6[k] += x * p->Qd[a][b] * z6[b][j][k / 6] + (b == 0 ? x * p->Qc[a] * g6[0][j][k / 6] : 0.0);
            }
        }
        mb_hessian_to_body(K6, &H, &p->P, i, j, 0);
        if (i == j) {
            mb_arm_terms(K6, &p->P.side[i], sum + 6 * i, sum + 6 * i + 3);
        }
        mb_add_pair(m, sink, p->marker[i].body, p->marker[j].body, f->pair[i], C6, K6);
    }
}

static void contact_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    int number[MB_MEETINGS] = {0};
    mb_meeting X;
    mb_pairing frames;
    point p;
    for (int k = 0, n = features_of(number, &X, &frames, f, m); k < n; ++k) {
        if (point_at(&p, f, m, &X, k, number[k], 1, at->t)) {
            push_point(m, sink, f, &p);
        }
    }
}

/* Potential, normal force and power that is lost, of all points. */
static void totals(double sum[3], const mb_force *f, const mb_instance *m, double t)
{
    int number[MB_MEETINGS] = {0};
    mb_meeting X;
    mb_pairing frames;
    point p;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int k = 0, n = features_of(number, &X, &frames, f, m); k < n; ++k) {
        if (point_at(&p, f, m, &X, k, number[k], 1, t)) {
            sum[0] += p.law.V;
            sum[1] += p.law.F;
            sum[2] += p.lost;
        }
    }
}

static void contact_potential(double *V, const void *self, mb_instance *m, double t)
{
    double sum[3];
    totals(sum, self, m, t);
    *V += sum[0];
}

static double contact_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    double sum[3];
    totals(sum, f, m, at->t);
    return sum[1];
}

static void contact_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    double sum[3];
    totals(sum, self, m, at->t);
    P[0] = sum[2];
    P[1] = 0.0;
}

void mb_force_contact_places(void *list, const mb_force *f, const mb_instance *m, double t)
{
    int number[MB_MEETINGS] = {0};
    mb_meeting X;
    mb_pairing frames;
    point p;
    for (int k = 0, n = features_of(number, &X, &frames, f, m); k < n; ++k) {
        double x[3], force[3] = {0.0};
        if (point_at(&p, f, m, &X, k, number[k], 1, t)) {
            for (int i = 0; i < 3; ++i) {
                axpy3(force, -p.Q[i], p.g[i] + 6);
            }
            mb_touched_at(x, &p.row[0], &p.P);
            mb_place_contact(list, x, force);
        }
    }
}

/* ---- final states ----------------------------------------------------------------------------- */

/* Of an open point the speed at which it will touch: v^2 = rate^2 - 2 acceleration gap. One that touches keeps its features until they end. */
static void contact_remember(const mb_force *f, mb_instance *m, double t)
{
    int number[MB_MEETINGS] = {0};
    double *memory = memory_of(f, m);
    mb_meeting X;
    mb_pairing frames;
    point p;
    const int n = memory ? features_of(number, &X, &frames, f, m) : 0;
    for (int k = 0; k < n; ++k) {
        double *own = memory + (ptrdiff_t)REMEMBERED * k;
        if (point_at(&p, f, m, &X, k, number[k], 2, t)) {
            const int follows = mb_meeting_follow(&X, &frames, number[k]);
            own[FEATURE] = mb_meeting_reach(&X, &frames, number[k]) > 0.0 ? follows : 0;
            for (int i = 0; i < 2; ++i) {
                own[BENT + i] = p.bent[i];
                own[SLID + i] = p.rate[1 + i];
            }
            continue;
        }
        double V[12], W[12], z[12], acc = 0.0, rate = 0.0;
        p.row[0].type->gradient(p.g[0], &p.row[0], &p.P);
        mb_pairing_velocity(V, &p.P);
        mb_pairing_acceleration(W, &p.P);
        mb_row_contract(z, &p.row[0], &p.P);
        for (int i = 0; i < 12; ++i) {
            rate += p.g[0][i] * V[i];
            acc += p.g[0][i] * W[i] + z[i] * V[i];
        }
        own[FEATURE] = 0.0;
        own[BENT] = own[BENT + 1] = own[SLID] = own[SLID + 1] = 0.0;
        own[SPEED] = sqrt(fmax(rate * rate - 2.0 * acc * p.row[0].type->phi(&p.row[0], &p.P), 0.0));
    }
}

/* ---- the type --------------------------------------------------------------------------------- */

static unsigned contact_turns(const mb_force *f)
{
    (void)f;
    return MB_AXES_A | MB_AXES_B;
}

static dal_status refuse(const mb_scope *s, const dal_force *d, const char *what)
{
    return dal_fail(s->ctx, DAL_EINVAL, "force '%s': %s", d->name, what);
}

static dal_status check_contact(const mb_scope *s, mb_force *f, const dal_force *d)
{
    mb_meeting X;
    // a description in C may leave these out
    f->d.exponent = d->exponent > 0.0 ? d->exponent : 1.5;
    f->d.restitution = d->restitution > 0.0 ? d->restitution : 1.0;
    f->row = (mb_row){.type = &mb_row_touch, .c2 = compliant_damping(fmax(f->d.restitution, 0.02))};
    if (!(d->stiffness > 0.0) || d->exponent < 0.0 || (d->exponent > 0.0 && d->exponent < 1.0)) {
        return refuse(s, d,
                      "the stiffness of a contact is positive, its exponent at least 1 (1.5 is Hertz' law, 1 linear)");
    }
    if (d->restitution < 0.0 || d->restitution > 1.0 || (d->restitution > 0.0 && d->restitution < 0.02)) {
        return refuse(s, d,
                      "the restitution of a compliant contact is from 0.02 to 1; for 0 use a joint of type contact");
    }
    if (d->mu < 0.0 || (d->mu > 0.0 && !(d->slip > 0.0 || d->bristle > 0.0)) || d->least_speed < 0.0) {
        return refuse(
            s, d,
            "friction mu is not negative and needs slip > 0, the speed at which it is 0.7 of mu F, or bristle "
            "> 0, the stiffness with which it holds");
    }
    if (d->bristle < 0.0 || d->bristle_damping < 0.0 || (d->bristle > 0.0 && !(d->mu > 0.0))) {
        return refuse(s, d, "bristles have a stiffness and a damping that are not negative, and need friction mu > 0");
    }
    if (d->shape == MB_SOLID_CURVE) {
        const mb_curve_given g = mb_curve_of_force(d);
        DAL_TRY(mb_curve_check(s, &g));
    }
    const int curve = d->shape == MB_SOLID_CURVE;
    if (d->shape == MB_SOLID_DISK || !meeting_of(&X, s->of, f->marker, d, NULL) || !(X.size > 0.0 || curve)) {
        return refuse(s, d,
                      "there is no contact of shape_a with shape, or their sizes are not positive; "
                      "docs/theory/contact.md has the pairs");
    }
    return DAL_OK;
}

static const char *const shapes[] = {"sphere", "disk", "capsule", "box", "cylinder", "mesh", "curve", NULL};
static const char *const shapes_a[] = {"plane", "sphere", "capsule", "box", "cylinder", NULL};
static const dal_key contact_keys[] = {
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m^exponent", "k", MB_REQUIRED),
    MB_KEY(NUMBER, "exponent", dal_force, exponent, "", "n: 1.5 is Hertz' law, 1 linear", .preset = "1.5"),
    MB_KEY(NUMBER, "restitution", dal_force, restitution, "", "velocity after an impact to that before, 0.02 to 1",
           .preset = "1"),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "coefficient of friction", MB_OPTIONAL),
    MB_KEY(NUMBER, "slip", dal_force, slip, "m/s", "sliding speed at which friction is 0.7 of mu F", MB_OPTIONAL),
    MB_KEY(NUMBER, "bristle", dal_force, bristle, "N/m",
           "instead of slip: stiffness with which friction holds up to mu F", MB_OPTIONAL),
    MB_KEY(NUMBER, "bristle_damping", dal_force, bristle_damping, "N s/m", "damping while it holds", MB_OPTIONAL),
    MB_KEY(NUMBER, "least_speed", dal_force, least_speed, "m/s",
           "slower approach is damped like this one (default: 0.01 of the size per second)", MB_OPTIONAL),
    MB_KEY(CHOICE, "shape", dal_force, shape, "", "as of the joint contact, but for disk", .words = shapes,
           .preset = "\"sphere\""),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of sphere, capsule, cylinder", MB_OPTIONAL),
    MB_KEY(NUMBER, "length", dal_force, length, "m", "of capsule, cylinder", MB_OPTIONAL),
    MB_KEY(VECTOR, "size", dal_force, size, "m", "of a box: its edges", MB_OPTIONAL),
    MB_KEY(CHOICE, "shape_a", dal_force, shape_a, "", "of A, around its frame; plane: x-y", .words = shapes_a,
           .preset = "\"plane\""),
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "of the shape of A", MB_OPTIONAL),
    MB_KEY(NUMBER, "length_a", dal_force, length_a, "m", "of the shape of A", MB_OPTIONAL),
    MB_KEY(VECTOR, "size_a", dal_force, size_a, "m", "of the shape of A", MB_OPTIONAL),
    MB_CURVE_KEYS(dal_force)};

const mb_force_type mb_force_contact = {
    .name = "contact",
    .about = MB_ABOUT("Shapes press each other apart by a compliant law with restitution and friction.", BODIES,
                      contact_keys),
    .check = check_contact,
    .turns_of = contact_turns,
    .remember = contact_remember,
    .value = contact_value,
    .element = {.wants = MB_WANTS_FORCE,
                .connect = mb_connect_frames,
                .residual = contact_residual,
                .tangent = contact_tangent,
                .potential = contact_potential,
                .exchange = contact_exchange}};

int mb_force_presses(const mb_force *f)
{
    return f->type == &mb_force_contact;
}
