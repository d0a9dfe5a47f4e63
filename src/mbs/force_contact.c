/* Contact with a compliant law (CT.16): solids press each other apart with F = k delta^n (1 + D delta'/v), and friction mu F u/sqrt(u^2 + s^2), or
 * of bristles (CT.25).
 * v is the speed of approach at touch-down. It is remembered, per point of contact, with the features that touch; while a point is open both
 * are those of the last final state. */
#include "base/message.h"
#include "base/stencil.h"
#include "mbs/compliant_kernel.h"
#include "mbs/contact_impl.h"
#include "mbs/contact_kernel.h"
#include "mbs/force_impl.h"
#include "mbs/meeting_impl.h"
#include "mbs/press.h"
#include "mbs/recall.h"

enum { FEATURE, SPEED, BENT, SLID = BENT + 2, REMEMBERED = SLID + 2 };

/* A point of contact at a state. */
typedef struct point {
    mb_marker marker[2];
    mb_row row;
    mb_pairing P;
    compliant_point at;
} point;

/* The damping D with which every impact, whatever n, k and the masses, has the restitution e:
 * (1 + e) D = log((1 + D)/(1 - e D)), 0 < D < 1/e. */
static double damping(double e)
{
    double lo = 0.5 * (1.0 - e) / e, hi = 1.0 / e;
    if (e > 0.9999) {
        return 1.5 * (1.0 - e); // the difference of both sides is lost in rounding
    }
    for (int k = 0; k < 200 && hi - lo > 0.0; ++k) {
        const double D = 0.5 * (lo + hi);
        if (D <= lo || D >= hi) {
            break;
        }
        *((1.0 + e) * D > log1p(D) - log1p(-e * D) ? &lo : &hi) = D;
    }
    return 0.5 * (lo + hi);
}

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

/* Point k; 0: it is open. */
static int point_at(point *p, const mb_force *f, const mb_instance *m, const mb_meeting *X, int k, int number,
                    int level, double t)
{
    static const double none[2] = {0.0, 0.0};
    const double *memory = memory_of(f, m), *own = memory ? memory + (ptrdiff_t)REMEMBERED * k : NULL;
    const compliant_law law = {.k = f->d.stiffness,
                               .n = f->d.exponent,
                               .D = f->row.c2,
                               .v = least_speed(f, X),
                               .mu = f->d.mu,
                               .slip = f->d.slip,
                               .bristle = f->d.bristle,
                               .damping = f->d.bristle_damping};
    mb_marker frame[2];
    mb_meeting_frames(frame, X, f->marker);
    *p = (point){.marker = {frame[0], frame[1]}, .row = {.type = &mb_row_touch, .i = 2}};
    mb_meeting_load(p->marker, &p->row, X, frame, number);
    mb_pairing_at(&p->P, m->state, p->marker, level, MB_AXES_A | MB_AXES_B);
    const touch K = touch_at(&p->row, &p->P);
    if (!compliant_meet(&p->at, p->row.j, &K, &p->P)) {
        return 0;
    }
    const int started = own && m->memory[MB_MEMORY_STARTED] != 0.0, bristles = f->d.bristle > 0.0;
    compliant_act(&p->at, &law, own ? own[SPEED] : 0.0,
                  !bristles ? NULL
                  : started ? own + BENT
                            : none,
                  started ? own + SLID : none, started ? t - m->memory[MB_MEMORY_TIME] : 0.0);
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
        double sum[12];
        if (!point_at(&p, f, m, &X, k, number[k], 1, at->t)) {
            continue;
        }
        compliant_wrench(sum, &p.at);
        for (int i = 0; i < 2; ++i) {
            mb_add_wrench(m->body[p.marker[i].body].r6, &p.P.side[i], sum + 6 * i, sum + 6 * i + 3);
        }
    }
}

static void push_point(mb_instance *m, dal_sink *sink, const mb_force *f, const point *p)
{
    compliant_tangent T;
    compliant_turn(&T, &p->at, &p->P);
    for (int block = 0; block < 4; ++block) {
        const int i = block / 2, j = block % 2;
        double C6[36] = {0.0}, K6[36] = {0.0};
        if (p->marker[i].body > 0 && p->marker[j].body > 0) {
            compliant_pair(K6, C6, &T, &p->at, &p->P, i, j);
            mb_add_pair(m, sink, p->marker[i].body, p->marker[j].body, f->pair[i], C6, K6);
        }
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
            sum[0] += p.at.V;
            sum[1] += p.at.F;
            sum[2] += p.at.lost;
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
                axpy3(force, -p.at.Q[i], p.at.g[i] + 6);
            }
            mb_touched_at(x, &p.row, &p.P);
            mb_place_contact(list, x, force);
        }
    }
}

int mb_force_contact_points(mb_press at[MB_MEETINGS], const dal_model *m, const mb_force *f)
{
    mb_meeting X;
    if (f->d.shape_a > 1 || !meeting_of(&X, m, f->marker, &f->d, NULL)) {
        return 0;
    }
    const mb_solid_kind b = X.solid[1].kind;
    const int plane = X.solid[0].kind == MB_SOLID_PLANE, box = b == MB_SOLID_BOX, capsule = b == MB_SOLID_CAPSULE;
    const double *A = f->marker[0].A; // tangents are those of mb_meeting_choose
    const int turn = !plane ? TOUCH_ANY : X.flat && fabs(A[2]) < fabs(A[5]);
    if (b != MB_SOLID_SPHERE && !(plane && (box || capsule))) {
        return 0;
    }
    for (int k = 0; k < X.n; ++k) {
        at[k] = (mb_press){.code = (plane ? TOUCH_PLANE_POINT : TOUCH_POINT_POINT) + TOUCH_TURN * turn,
                           .a = plane ? NULL : &f->d.radius_a,
                           .b = box ? NULL : &f->d.radius,
                           .edge = box       ? f->d.size
                                   : capsule ? &f->d.length
                                             : NULL,
                           .memory = f->memory + REMEMBERED * k + SPEED};
        for (int i = 0; i < 3 && box; ++i) {
            at[k].sign[i] = i == 2 && X.flat ? 0 : k >> i & 1 ? -1 : 1;
        }
        at[k].sign[2] = capsule ? 2 * k - 1 : at[k].sign[2];
    }
    return X.n;
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
                own[BENT + i] = p.at.bent[i];
                own[SLID + i] = p.at.rate[1 + i];
            }
            continue;
        }
        own[FEATURE] = 0.0;
        own[BENT] = own[BENT + 1] = own[SLID] = own[SLID + 1] = 0.0;
        own[SPEED] = compliant_speed(&p.at, &p.P);
    }
}

/* ---- derivatives of what is remembered -------------------------------------------------------- */

static int is_lossy(const mb_force *f)
{
    return f->row.c2 > 0.0;
}

static int contact_remembers(const mb_force *f, int slot)
{
    const int k = slot % REMEMBERED;
    return k == SPEED ? is_lossy(f) : k > SPEED && f->d.bristle > 0.0;
}

/* dQ: what the forces of a point change with number `what` of its memory. */
static void change_of(double dQ[3], const mb_force *f, const mb_instance *m, const mb_meeting *X, const point *p,
                      const double *own, int what, double t)
{
    const double dt = m->memory[MB_MEMORY_STARTED] != 0.0 ? t - m->memory[MB_MEMORY_TIME] : 0.0;
    dQ[0] = dQ[1] = dQ[2] = 0.0;
    if (what == SPEED) { // of D rate/speed
        const double by = own[SPEED] > least_speed(f, X) ? -p->at.rate[0] / own[SPEED] : 0.0;
        for (int i = 0; i < 3; ++i) {
            dQ[i] = by * p->at.Qd[i][0];
        }
        return;
    }
    const int j = what >= SLID ? what - SLID : what - BENT;
    const double by = f->d.bristle * (what >= SLID ? 0.5 * dt : 1.0);
    for (int i = 0; i < 2; ++i) {
        dQ[1 + i] = by * p->at.turned[i][j];
    }
}

static void contact_recalled(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at)
{
    int number[MB_MEETINGS] = {0};
    mb_meeting X;
    mb_pairing frames;
    point p;
    for (int k = 0, n = m->memory ? features_of(number, &X, &frames, f, m) : 0; k < n; ++k) {
        const int first = f->memory + REMEMBERED * k;
        if (!point_at(&p, f, m, &X, k, number[k], 1, at->t)) {
            continue;
        }
        for (int what = SPEED; what < REMEMBERED; ++what) {
            double sum[12];
            compliant_point by = p.at;
            if (!contact_remembers(f, what)) {
                continue;
            }
            change_of(by.Q, f, m, &X, &p, m->memory + first, what, at->t);
            compliant_wrench(sum, &by);
            (void)mb_recall_begin(x);
            for (int i = 0; i < 2; ++i) {
                mb_add_wrench(m->body[p.marker[i].body].r6, &p.P.side[i], sum + 6 * i, sum + 6 * i + 3);
            }
            mb_recall_end(x);
            mb_recall_take(x, first + what, 1.0);
        }
    }
}

/* A row of what follows from the gap, times a, and from the rates of a point, times c. */
static void add_rates(mb_recall *x, const point *p, const compliant_tangent *T, double a, const double c[3])
{
    static const double none[6] = {0.0};
    for (int i = 0; i < 2; ++i) {
        double K6[6], C6[6];
        for (int k = 0; k < 6; ++k) {
            K6[k] = a * T->g6[0][i][k] + c[0] * T->z6[0][i][k] + c[1] * T->z6[1][i][k] + c[2] * T->z6[2][i][k];
            C6[k] = c[0] * T->g6[0][i][k] + c[1] * T->g6[1][i][k] + c[2] * T->g6[2][i][k];
        }
        mb_recall_body(x, p->marker[i].body, K6, C6, none);
    }
}

/* Bristles, bent by (Q - held c u)/k, and the sliding velocities u. */
static void renew_bristles(mb_recall *x, const mb_force *f, mb_instance *m, const mb_meeting *X, const point *p,
                           int first, double t)
{
    const double k = f->d.bristle;
    compliant_tangent T;
    compliant_turn(&T, &p->at, &p->P);
    for (int i = 0; i < 2; ++i) {
        const double *Qd = p->at.Qd[1 + i];
        double c[3] = {Qd[0] / k, Qd[1] / k, Qd[2] / k};
        c[1 + i] -= p->at.held * f->d.bristle_damping / k;
        mb_recall_row(x, first + BENT + i);
        add_rates(x, p, &T, p->at.Qc[1 + i] / k, c);
        for (int what = SPEED; what < REMEMBERED && m->memory[MB_MEMORY_STARTED] != 0.0; ++what) {
            double dQ[3];
            if (contact_remembers(f, what)) {
                change_of(dQ, f, m, X, p, m->memory + first, what, t);
                mb_recall_from(x, first + what, dQ[1 + i] / k);
            }
        }
        mb_recall_row(x, first + SLID + i);
        add_rates(x, p, &T, 0.0, (const double[3]){0.0, i == 0, i == 1});
    }
}

/* The speed of approach of an open point, by values of its square: of second degree in velocities, linear in accelerations. */
static void renew_speed(mb_recall *x, const mb_force *f, mb_instance *m, const mb_meeting *X, int k, int number,
                        double speed, double t)
{
    static const double small = 4e-3;
    for (int side = 0; side < 2; ++side) {
        const int body = f->marker[side].body;
        double D[3][6] = {{0.0}};
        for (int i = 0; i < 18 && body > 0; ++i) {
            const int what = i / 6, place = what == MB_BY_POSITION;
            const dal_stencil *by = place ? &dal_six_values : &dal_two_values;
            const double step = place ? small * (i < 3 && X->size > 0.0 ? X->size : 1.0) : 1.0;
            const mb_state saved = m->state[body];
            for (int j = 0; j < by->n; ++j) {
                point p;
                mb_perturb(&m->state[body], what, i % 6, by->place[j] * step);
                (void)point_at(&p, f, m, X, k, number, 2, t);
                D[what][i % 6] += by->weight[j] / step * compliant_square(&p.at, &p.P) / (2.0 * speed);
                m->state[body] = saved;
            }
        }
        mb_recall_body(x, body, D[0], D[1], D[2]);
    }
}

/* May an open point touch within h, at a stage of a step at least? */
static int may_touch(const point *p, double h)
{
    const double rate = p->at.rate[0], gap = p->at.K.phi,
                 fall = 0.5 * fabs(rate * rate - compliant_square(&p->at, &p->P)); // acceleration times gap
    return gap * gap <= 2.0 * h * (fabs(rate) * gap + fall * h);
}

static void contact_renewed(mb_recall *x, const mb_force *f, mb_instance *m, const dal_point *at, dal_moment moment)
{
    int number[MB_MEETINGS] = {0};
    mb_meeting X;
    mb_pairing frames;
    point p;
    (void)moment;
    for (int k = 0, n = m->memory ? features_of(number, &X, &frames, f, m) : 0; k < n; ++k) {
        const int first = f->memory + REMEMBERED * k, closed = point_at(&p, f, m, &X, k, number[k], 2, at->t);
        for (int what = BENT; what < REMEMBERED && !closed && f->d.bristle > 0.0; ++what) {
            mb_recall_row(x, first + what);
        }
        if (closed && f->d.bristle > 0.0) {
            renew_bristles(x, f, m, &X, &p, first, at->t);
        }
        if (!closed && is_lossy(f)) {
            const double speed = compliant_speed(&p.at, &p.P);
            mb_recall_row(x, first + SPEED);
            if (speed > 0.0 && may_touch(&p, mb_recall_ahead(x))) {
                renew_speed(x, f, m, &X, k, number[k], speed, at->t);
            }
        }
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
    f->row = (mb_row){.type = &mb_row_touch, .c2 = damping(fmax(f->d.restitution, 0.02))};
    if (d->mu > 0.0 && !(d->slip > 0.0 || d->bristle > 0.0)) {
        return refuse(s, d,
                      "friction mu needs slip > 0, the speed at which it is 0.7 of mu F, or bristle > 0, the stiffness "
                      "with which it holds");
    }
    if (d->bristle > 0.0 && !(d->mu > 0.0)) {
        return refuse(s, d, "bristles need friction mu > 0");
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
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m^exponent", "k", MB_REQUIRED, MB_POSITIVE),
    MB_KEY(NUMBER, "exponent", dal_force, exponent, "", "n: 1.5 is Hertz' law, 1 linear", .preset = "1.5",
           .range = ">= 1"),
    MB_KEY(NUMBER, "restitution", dal_force, restitution, "",
           "velocity after an impact to that before; for 0 use a joint of type contact", .preset = "1",
           .range = ">= 0.02 <= 1"),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "coefficient of friction", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "slip", dal_force, slip, "m/s", "sliding speed at which friction is 0.7 of mu F", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "bristle", dal_force, bristle, "N/m",
           "instead of slip: stiffness with which friction holds up to mu F", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "bristle_damping", dal_force, bristle_damping, "N s/m", "damping while it holds", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "least_speed", dal_force, least_speed, "m/s",
           "slower approach is damped like this one (default: 0.01 of the size per second)", MB_OPTIONAL,
           MB_NOT_NEGATIVE),
    MB_KEY(CHOICE, "shape", dal_force, shape, "", "as of the joint contact, but for disk", .words = shapes,
           .preset = "\"sphere\""),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "of sphere, capsule, cylinder", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "length", dal_force, length, "m", "of capsule, cylinder", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(VECTOR, "size", dal_force, size, "m", "of a box: its edges", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(CHOICE, "shape_a", dal_force, shape_a, "", "of A, around its frame; plane: x-y", .words = shapes_a,
           .preset = "\"plane\""),
    MB_KEY(NUMBER, "radius_a", dal_force, radius_a, "m", "of the shape of A", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "length_a", dal_force, length_a, "m", "of the shape of A", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_KEY(VECTOR, "size_a", dal_force, size_a, "m", "of the shape of A", MB_OPTIONAL, MB_NOT_NEGATIVE),
    MB_CURVE_KEYS(dal_force)};

const mb_force_type mb_force_contact = {
    .name = "contact",
    .about = MB_ABOUT("Shapes press each other apart by a compliant law with restitution and friction.", BODIES,
                      contact_keys),
    .check = check_contact,
    .turns_of = contact_turns,
    .remember = contact_remember,
    .recalled = contact_recalled,
    .renewed = contact_renewed,
    .remembers = contact_remembers,
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
