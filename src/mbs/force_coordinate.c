/* Forces along a coordinate c of frame B relative to frame A: r += g Q with the gradient g of c and Q a function of
 * c, c', time and, for friction, of the reaction of a joint (MB.9). */
#include <math.h>

#include "mbs/force_impl.h"
#include "mbs/force_kernel.h"

/* The coordinate of a row for the frames in a->P. */
static void along_row(mb_along *a, const mb_instance *m, const mb_row *row, double t)
{
    double V[12];
    row->type->gradient(a->g, row, &a->P);
    mb_pairing_velocity(V, &a->P);
    a->c = mb_coordinate_value(&a->reach, row, &a->P, m, t);
    a->cd = 0.0;
    for (int i = 0; i < 12; ++i) {
        a->cd += a->g[i] * V[i];
    }
}

void mb_along_at(mb_along *a, const mb_instance *m, const mb_marker marker[2], const mb_row *row, double t)
{
    mb_pairing_at(&a->P, m->state, marker, 1, row->type->axes);
    along_row(a, m, row, t);
}

void mb_along_force(mb_instance *m, const mb_marker marker[2], const mb_along *a, double Q)
{
    for (int i = 0; i < 2; ++i) {
        double f[6];
        scale3(f, Q, a->g + 6 * i);
        scale3(f + 3, Q, a->g + 6 * i + 3);
        mb_add_wrench(m->body[marker[i].body].r6, &a->P.side[i], f, f + 3);
    }
}

/* Tangents of forces along coordinates of the same two frames, added up: Q H, Q g, and the blocks K_ij, C_ij of the rest. */
typedef struct along_sum {
    mb_hessian H;
    double f[12];
    double K[4][36], C[4][36];
} along_sum;

static int is_block(const mb_marker marker[2], int k)
{
    return marker[k / 2].body != 0 && marker[k % 2].body != 0;
}

static void begin_sum(along_sum *s, const mb_marker marker[2])
{
    memset(&s->H, 0, sizeof s->H);
    memset(s->f, 0, sizeof s->f);
    for (int k = 0; k < 4; ++k) {
        if (is_block(marker, k)) {
            memset(s->K[k], 0, sizeof s->K[k]);
            memset(s->C[k], 0, sizeof s->C[k]);
        }
    }
}

/* K_ij += g_i (Qc g_j + Qd z_j)^T, C_ij += Qd g_i g_j^T */
static void add_to_sum(along_sum *s, const mb_marker marker[2], const mb_row *row, const mb_along *a, mb_law l)
{
    double z[12], g6[2][6], z6[2][6];
    row->type->hessian(&s->H, l.Q, row, &a->P);
    mb_row_contract(z, row, &a->P);
    for (int i = 0; i < 12; ++i) {
        s->f[i] += l.Q * a->g[i];
    }
    for (int i = 0; i < 2; ++i) {
        mb_gradient_to_body(g6[i], &a->P.side[i], a->g + 6 * i);
        mb_rate_to_body(z6[i], &a->P.side[i], z + 6 * i, a->g + 6 * i);
    }
    for (int k = 0; k < 4; ++k) {
        if (is_block(marker, k)) {
            force_along_pair(s->K[k], s->C[k], g6[k / 2], g6[k % 2], z6[k % 2], l.Qc, l.Qd);
        }
    }
}

/* K_ij += Q H_ij and what the arms add; then to the sink */
static void push_sum(along_sum *s, mb_instance *m, dal_sink *sink, const mb_marker marker[2], const int pair[2],
                     const mb_pairing *P)
{
    for (int k = 0; k < 4; ++k) {
        const int i = k / 2, j = k % 2;
        if (!is_block(marker, k)) {
            continue;
        }
        mb_hessian_to_body(s->K[k], &s->H, P, i, j, 0);
        if (i == j) {
            mb_arm_terms(s->K[k], &P->side[i], s->f + 6 * i, s->f + 6 * i + 3);
        }
        mb_add_pair(m, sink, marker[i].body, marker[j].body, pair[i], s->C[k], s->K[k]);
    }
}

void mb_along_tangent(mb_instance *m, dal_sink *sink, const mb_marker marker[2], const mb_row *row, const int pair[2],
                      const mb_along *a, mb_law l)
{
    along_sum s;
    begin_sum(&s, marker);
    add_to_sum(&s, marker, row, a, l);
    push_sum(&s, m, sink, marker, pair, &a->P);
}

/* An angle about an axis of A is measured on the projection of the next axis of B. Where that axis is nearly parallel
 * to the axis of A, the angle has no meaning, and a force that follows it would jump. */
static void check_reach(const mb_force *f, mb_instance *m, const mb_row *row, const mb_along *a)
{
    static const double least = 0.05; // three degrees
    if (a->reach < least && mb_counting(m, row)) {
        MB_FAIL(
            m, DAL_RETRY,
            "force '%s': its angle about the %c axis of frame A has no meaning here: the %c axis of frame B is within "
            "3 degrees of that axis. Turn the frames, or measure small rotations only",
            m->of->force_names.name[f - m->force], 'x' + row->i, 'x' + (row->i + 1) % 3);
    }
}

/* ---- spring, pd, actuator --------------------------------------------------------------------- */

/* Elongation c - reference and its rate; angles are taken modulo full turns until a run counts these. */
void mb_elongation(double e[2], const mb_force *f, mb_instance *m, double t, const mb_along *a)
{
    double ref[3] = {f->d.reference, 0.0, 0.0};
    if (f->d.function > 0) {
        mb_function_at(ref, m, f->d.function, t, "force", m->of->force_names.name[f - m->force]);
    }
    e[0] = a->c - ref[0];
    e[1] = a->cd - ref[1];
    if (f->row.period > 0.0 && !mb_counting(m, &f->row)) {
        e[0] = remainder(e[0], f->row.period);
    }
}

static mb_law law_of(const mb_force *f, mb_instance *m, const dal_point *at, const mb_along *a)
{
    const dal_force *d = &f->d;
    double y[3], e[2];
    if (f->type->prescribed) {
        mb_function_at(y, m, d->function, at->t, "force", m->of->force_names.name[f - m->force]);
        return (mb_law){-y[0], 0.0, 0.0};
    }
    mb_elongation(e, f, m, at->t, a);
    mb_function_at(y, m, d->characteristic, e[0], "force", m->of->force_names.name[f - m->force]);
    const double integral = f->factor >= 0 ? d->integral * at->q[f->q] : 0.0;
    double l[3];
    force_spring(l, d->stiffness, d->cubic, d->damping, e, y);
    return (mb_law){l[0] + integral, l[1], l[2]};
}

/* The characteristic at an elongation. */
typedef struct characteristic_line {
    const mb_function *all;
    int number;
} characteristic_line;

static int characteristic_at(double *F, double *g, double x, const void *user)
{
    const characteristic_line *line = user;
    double y[3];
    const dal_status st = mb_function_value(y, line->all, line->number, x);
    *F = y[0];
    *g = y[1];
    return st == DAL_OK && isfinite(y[0]) && isfinite(y[1]);
}

/* slope: of the characteristic */
static dal_kink spring_kink(double *slope, const mb_force *f, mb_instance *m, const dal_point *at)
{
    const characteristic_line line = {m->function, f->d.characteristic};
    mb_along a;
    double e[2];
    if (f->d.characteristic <= 0) {
        return DAL_KINK_NONE;
    }
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_elongation(e, f, m, at->t, &a);
    return mb_kink_at(slope, characteristic_at, &line, e[0]);
}

static void spring_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    check_reach(f, m, &f->row, &a);
    mb_along_force(m, f->marker, &a, law_of(f, m, at, &a).Q);
}

static void spring_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_law l = law_of(f, m, at, &a);
    if (f->d.characteristic > 0 && (sink->wants & DAL_WANT_MEANS)) {
        double y[3], e[2];
        mb_elongation(e, f, m, at->t, &a);
        mb_function_at(y, m, f->d.characteristic, e[0], "force", m->of->force_names.name[f - m->force]);
        const double here = y[1];
        (void)spring_kink(&y[1], f, m, at);
        l.Qc += y[1] - here;
    }
    mb_along_tangent(m, sink, f->marker, &f->row, f->pair, &a, l);
    if (f->factor >= 0 && (sink->wants & DAL_WANT_K)) {
        mb_pid_columns(f, m, sink, &a);
    }
}

static void spring_potential(double *V, const void *self, mb_instance *m, double t)
{
    const mb_force *f = self;
    mb_along a;
    double e[2];
    mb_along_at(&a, m, f->marker, &f->row, t);
    mb_elongation(e, f, m, t, &a);
    *V += 0.5 * f->d.stiffness * e[0] * e[0] + 0.25 * f->d.cubic * pow(e[0], 4.0) +
          (f->d.characteristic > 0 ? mb_function_integral(m->function, f->d.characteristic, e[0]) : 0.0);
}

static double spring_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    return law_of(f, m, at, &a).Q;
}

static double drive_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    return -spring_value(f, m, at);
}

/* d e'^2, and -Q f' from a moving reference: with the potential of e these add up to -Q c' */
static void spring_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_force *f = self;
    mb_along a;
    double e[2];
    P[0] = P[1] = 0.0;
    if (f->d.damping == 0.0 && f->d.function <= 0 && f->factor < 0) {
        return;
    }
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_elongation(e, f, m, at->t, &a);
    P[0] = f->d.damping * e[1] * e[1];
    P[1] = -law_of(f, m, at, &a).Q * (a.cd - e[1]);
}

static const dal_key spring_keys[] = {
    MB_COORDINATE_KEY(dal_force, "default: length"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m or N m/rad", "linear", MB_OPTIONAL),
    MB_KEY(NUMBER, "cubic", dal_force, cubic, "N/m^3 or N m/rad^3", "cubic", MB_OPTIONAL),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m or N m s/rad", "linear", MB_OPTIONAL),
    MB_KEY(FUNCTION, "characteristic", dal_force, characteristic, "N or N m", "of the elongation", MB_OPTIONAL),
    MB_KEY(NUMBER, "reference", dal_force, reference, "m or rad", "coordinate at rest", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", dal_force, function, "m or rad", "coordinate at rest over time, instead of reference",
           MB_OPTIONAL)};

const mb_force_type mb_force_spring = {
    .name = "spring",
    .about = MB_ABOUT_ONE_OF("Stiffness e + cubic e^3 + characteristic(e) + damping e', e = coordinate - reference.",
                             BODIES_OR_JOINT, spring_keys, "stiffness|cubic|damping|characteristic"),
    .coordinates = 1,
    .turns = 1,
    .coordinate = DAL_COORDINATE_LENGTH,
    .value = spring_value,
    .kink = spring_kink,
    .element = {.wants = MB_WANTS_FORCE,
                .connect = mb_connect_frames,
                .residual = spring_residual,
                .tangent = spring_tangent,
                .potential = spring_potential,
                .exchange = spring_exchange}};
static const dal_key pd_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m or N m/rad", "gain", MB_OPTIONAL),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m or N m s/rad", "gain of the rate", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", dal_force, function, "m or rad", "the desired value", MB_REQUIRED)};

const mb_force_type mb_force_pd = {
    .name = "pd",
    .about = MB_ABOUT_ONE_OF("-stiffness (c - f(t)) - damping (c' - f'(t)) along a coordinate c.", BODIES_OR_JOINT,
                             pd_keys, "stiffness|damping"),
    .coordinates = 1,
    .turns = 1,
    .value = drive_value,
    .element = {.wants = MB_WANTS_FORCE,
                .connect = mb_connect_frames,
                .residual = spring_residual,
                .tangent = spring_tangent,
                .exchange = mb_exchange_feed}};
static const dal_key pid_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m or N m/rad", "gain", MB_OPTIONAL),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m or N m s/rad", "gain of the rate", MB_OPTIONAL),
    MB_KEY(NUMBER, "integral", dal_force, integral, "N/(m s) or N m/(rad s)", "gain of the integral", MB_REQUIRED),
    MB_KEY(FUNCTION, "function", dal_force, function, "m or rad", "the desired value", MB_REQUIRED)};

const mb_force_type mb_force_pid = {.name = "pid",
                                    .about = MB_ABOUT("-stiffness (c - f(t)) - damping (c' - f'(t)) - integral s along "
                                                      "a coordinate c, s the integral of c - f from the start on.",
                                                      BODIES_OR_JOINT, pid_keys),
                                    .coordinates = 1,
                                    .turns = 1,
                                    .own = 1,
                                    .own_name = "integral",
                                    .build = mb_pid_build,
                                    .start = mb_pid_start,
                                    .value = drive_value,
                                    .element = {.wants = MB_WANTS_FORCE,
                                                .connect = mb_connect_pid,
                                                .residual = spring_residual,
                                                .tangent = spring_tangent,
                                                .exchange = mb_exchange_feed}};
static const dal_key actuator_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(FUNCTION, "function", dal_force, function, "N or N m", "positive: increases the coordinate", MB_REQUIRED)};

const mb_force_type mb_force_actuator = {
    .name = "actuator",
    .about = MB_ABOUT("function(t) along a coordinate.", BODIES_OR_JOINT, actuator_keys),
    .coordinates = 1,
    .prescribed = 1,
    .check = mb_check_actuator,
    .value = drive_value,
    .element = {.wants = MB_WANTS_FORCE,
                .connect = mb_connect_frames,
                .residual = spring_residual,
                .tangent = spring_tangent,
                .exchange = mb_exchange_feed}};

/* ---- bushing: three translations along and three rotations about the axes of A --------------------- */

static mb_row bushing_row(const mb_force *f, int k)
{
    mb_row row = mb_coordinate_row(k < 3 ? DAL_COORDINATE_TRANSLATION : DAL_COORDINATE_ROTATION, k % 3);
    row.memory = k >= 3 && f->memory > 0 ? f->memory + 2 * (k - 3) : 0;
    return row;
}

static int bushing_acts(const mb_force *f, int k)
{
    return f->d.stiffness6[k] != 0.0 || f->d.damping6[k] != 0.0;
}

static int bushing_angle(mb_turning *a, const mb_force *f, int k)
{
    if (k < 3) {
        *a = (mb_turning){f->marker, bushing_row(f, 3 + k), bushing_acts(f, 3 + k)};
    }
    return k < 3;
}

static unsigned bushing_turns(const mb_force *f)
{
    for (int k = 3; k < 6; ++k) {
        if (bushing_acts(f, k)) {
            return MB_AXES_A | MB_AXES_B;
        }
    }
    return MB_AXES_A;
}

static mb_law bushing_law(const mb_force *f, int k, const mb_along *a)
{
    return (mb_law){f->d.stiffness6[k] * a->c + f->d.damping6[k] * a->cd, f->d.stiffness6[k], f->d.damping6[k]};
}

/* All six share their frames. */
static void bushing_frames(mb_along *a, const mb_force *f, const mb_instance *m)
{
    mb_pairing_at(&a->P, m->state, f->marker, 1, MB_AXES_A | MB_AXES_B);
}

static void bushing_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    mb_along a;
    bushing_frames(&a, f, m);
    double sum[12] = {0.0};
    for (int k = 0; k < 6; ++k) {
        if (bushing_acts(f, k)) {
            const mb_row row = bushing_row(f, k);
            along_row(&a, m, &row, at->t);
            check_reach(f, m, &row, &a);
            const double Q = bushing_law(f, k, &a).Q;
            for (int i = 0; i < 12; ++i) {
                sum[i] += Q * a.g[i];
            }
        }
    }
    for (int i = 0; i < 2; ++i) {
        mb_add_wrench(m->body[f->marker[i].body].r6, &a.P.side[i], sum + 6 * i, sum + 6 * i + 3);
    }
}

static void bushing_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    mb_along a;
    along_sum s;
    bushing_frames(&a, f, m);
    begin_sum(&s, f->marker);
    for (int k = 0; k < 6; ++k) {
        if (bushing_acts(f, k)) {
            const mb_row row = bushing_row(f, k);
            along_row(&a, m, &row, at->t);
            add_to_sum(&s, f->marker, &row, &a, bushing_law(f, k, &a));
        }
    }
    push_sum(&s, m, sink, f->marker, f->pair, &a.P);
}

static void bushing_potential(double *V, const void *self, mb_instance *m, double t)
{
    const mb_force *f = self;
    double sum = 0.0;
    mb_along a;
    bushing_frames(&a, f, m);
    for (int k = 0; k < 6; ++k) {
        const mb_row row = bushing_row(f, k);
        along_row(&a, m, &row, t);
        sum += 0.5 * f->d.stiffness6[k] * a.c * a.c;
    }
    *V += sum;
}

static void bushing_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    const mb_force *f = self;
    P[0] = P[1] = 0.0;
    mb_along a;
    bushing_frames(&a, f, m);
    for (int k = 0; k < 6; ++k) {
        if (f->d.damping6[k] == 0.0) {
            continue;
        }
        const mb_row row = bushing_row(f, k);
        along_row(&a, m, &row, at->t);
        P[0] += f->d.damping6[k] * a.cd * a.cd;
    }
}

static const dal_key bushing_keys[] = {
    MB_KEY(NUMBERS, "stiffness", dal_force, stiffness6, "N/m, N m/rad", "three translations, three rotations",
           MB_REQUIRED, .n = 6),
    MB_KEY(NUMBERS, "damping", dal_force, damping6, "N s/m, N m s/rad", "likewise", MB_OPTIONAL, .n = 6)};

const mb_force_type mb_force_bushing = {
    .name = "bushing",
    .about = MB_ABOUT("Six springs along and about the axes of frame A.", BODIES, bushing_keys),
    .turns_of = bushing_turns,
    .angles = bushing_angle,
    .element = {.wants = MB_WANTS_FORCE,
                .connect = mb_connect_frames,
                .residual = bushing_residual,
                .tangent = bushing_tangent,
                .potential = bushing_potential,
                .exchange = bushing_exchange}};

/* ---- friction: Q = mu radius N tanh(c'/slip) --------------------------------------------------------- */

/* N = |reaction force| of the joint, smoothed at zero. */
static double normal_force(const mb_force *f, const mb_instance *m, const double *la)
{
    const mb_joint *j = &m->joint[f->joint];
    const int row0 = m->constraint[j->first].row0;
    double sum = 1e-18;
    for (int i = 0; i < j->type->force_rows; ++i) {
        sum += la[row0 + i] * la[row0 + i];
    }
    return sqrt(sum);
}

static mb_law friction_law(const mb_force *f, const mb_instance *m, const dal_point *at, const mb_along *a)
{
    double l[3];
    force_friction(l, f->d.mu * f->d.radius * normal_force(f, m, at->la), f->d.slip, a->cd);
    return (mb_law){l[0], l[1], l[2]};
}

static void friction_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out;
    const mb_force *f = self;
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    mb_along_force(m, f->marker, &a, friction_law(f, m, at, &a).Q);
}

static void friction_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_force *f = self;
    const mb_constraint *c = &m->constraint[m->joint[f->joint].first];
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    const mb_law l = friction_law(f, m, at, &a);
    mb_along_tangent(m, sink, f->marker, &f->row, f->pair, &a, l);
    // G = g mu radius tanh lambda^T/N
    const double N = normal_force(f, m, at->la), s = l.Q / (N * N);
    for (int i = 0; i < 2 && (sink->wants & DAL_WANT_G); ++i) {
        double g6[6], G[6 * MB_ROWS] = {0.0};
        if (c->link[i] < 0) {
            continue;
        }
        mb_gradient_to_body(g6, &a.P.side[i], a.g + 6 * i);
        for (int r = 0; r < m->joint[f->joint].type->force_rows; ++r) {
            for (int k = 0; k < 6; ++k) {
                G[k + 6 * r] = s * at->la[c->row0 + r] * g6[k];
            }
        }
        mb_push_force(m, sink, c->body[i], c->link[i], G, c->nrows);
    }
}

static double friction_value(const mb_force *f, mb_instance *m, const dal_point *at)
{
    mb_along a;
    mb_along_at(&a, m, f->marker, &f->row, at->t);
    return -friction_law(f, m, at, &a).Q;
}

static const dal_key friction_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "coefficient of friction", MB_REQUIRED, MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "lever of the friction, for rotations", .preset = "1",
           MB_NOT_NEGATIVE),
    MB_KEY(NUMBER, "slip", dal_force, slip, "m/s or rad/s", "velocity at which friction is nearly full", MB_REQUIRED,
           MB_POSITIVE)};

const mb_force_type mb_force_friction = {
    .name = "friction",
    .about = MB_ABOUT("Regularised Coulomb friction in a joint: mu radius N tanh(c'/slip), N its reaction force.",
                      JOINT, friction_keys),
    .coordinates = 1,
    .lambda = 1,
    .check = mb_check_friction,
    .value = friction_value,
    .element = {.wants = MB_WANTS_FORCE | DAL_WANT_G,
                .connect = mb_connect_frames,
                .residual = friction_residual,
                .tangent = friction_tangent,
                .exchange = mb_exchange_loss}};
