/* Forces of wheels and teeth between two frames: tyres (WH.*), wheels on rails, gears. A kernel gives all that it exerts at once; over
 * complex numbers it gives the tangents (wrench_tangent.c). */
#ifndef DAL_MBS_WRENCH_KERNEL_H
#define DAL_MBS_WRENCH_KERNEL_H

#include "mbs/pairing_kernel.h"

/* Which kernel, in the order of wrench_at. */
typedef enum wrench_kind { WRENCH_NONE, WRENCH_TYRE, WRENCH_RAIL, WRENCH_MESH, WRENCH_RACK, WRENCH_BELT } wrench_kind;

/* The numbers of all of them. */
typedef struct wrench_numbers {
    double radius, radius_a, stiffness, damping, mu, least_speed;
    double slip_stiffness[2], half_length, shape_factor, curvature, angle, camber, relaxation; /* tyre */
    double creep[4];                                                                           /* rail */
    double offset, pitch, backlash;                                                            /* mesh, rack */
    double tension, span; /* belt: at first, and length of a span */
    int law, rollers, internal;
} wrench_numbers;

/* Results: what is added to the equations of motion of A and of B, in the axes of their frames as r6 is; then these. The last one is the
 * rate of the state of a tyre with relaxation. */
enum { WRENCH_V = 12, WRENCH_LOSS, WRENCH_VALUE, WRENCH_RATE, WRENCH_SIZE };

/* The force F on B, its opposite on A, at a point, with a torque M. */
static inline void wrench_act(real y[WRENCH_SIZE], const mb_pairing *P, const real point[3], const real F[3],
                              const real M[3])
{
    for (int i = 0; i < 2; ++i) {
        const real sign = REAL(i == 0 ? 1.0 : -1.0);
        real arm[3], f[3], tau[3];
        sub3(arm, point, P->side[i].p);
        scale3(f, sign, F);
        scale3(tau, sign, M);
        add_cross3(tau, REAL(1.0), arm, f);
        mb_add_wrench(y + 6 * i, &P->side[i], f, tau);
    }
}

/* The velocity of B relative to A at a point. */
static inline void wrench_velocity(real v[3], const mb_pairing *P, const real point[3])
{
    real arm[3];
    copy3(v, P->side[1].pd);
    sub3(arm, point, P->side[1].p);
    add_cross3(v, REAL(1.0), P->side[1].b->om, arm);
    sub3(v, v, P->side[0].pd);
    sub3(arm, point, P->side[0].p);
    add_cross3(v, REAL(-1.0), P->side[0].b->om, arm);
}

/* max(0, k delta + c delta') where delta > 0. */
static inline real wrench_press(const wrench_numbers *n, real delta, real rate)
{
    const real F = n->stiffness * delta + n->damping * rate;
    return real_select(real_less(delta, REAL(0.0)), REAL(0.0), real_max(F, REAL(0.0)));
}

/* The largest tangential force, and hardly any instead of none. */
static inline real wrench_limit(const wrench_numbers *n, real load)
{
    return real_max(n->mu * load, REAL(1e-12 * n->stiffness * n->radius));
}

/* Tangential force of a contact patch that holds at most `limit`, for the force s that it would have if nothing slid: the cubic of brushes
 * under a parabolic pressure, (WH.3), s - s^2/(3 limit) + s^3/(27 limit^2) up to s = 3 limit. Returns the factor of s. */
static inline real wrench_cubic(real s, real limit)
{
    const real g = s / (3.0 * limit);
    const real factor = 1.0 - g + g * g / 3.0, most = 1.0 / (3.0 * real_max(g, REAL(1e-12)));
    return real_select(real_less(g, REAL(1.0)), factor, most);
}

static inline real wrench_atan(real x)
{
    return real_atan2(x, REAL(1.0));
}

/* sin(C atan(x - E (x - atan(x)))) with x = s/(C limit): the slope at zero is that of s, (WH.4). */
static inline real wrench_magic(real s, real limit, double C, double E)
{
    const real x = s / (C * limit), y = limit * real_sin(C * wrench_atan(x - E * (x - wrench_atan(x))));
    return real_select(real_less(s, 1e-9 * limit), REAL(1.0), y / real_max(s, 1e-9 * limit));
}

/* ---- tyres ------------------------------------------------------------------------------------ */

enum { WRENCH_LINEAR, WRENCH_BRUSH, WRENCH_MAGIC };

/* Forces along and across, from forces s that would be there without sliding; the moment about the normal. */
static inline void wrench_tyre_law(real F[3], const wrench_numbers *n, const real s[2], real load)
{
    const real size = real_sqrt(s[0] * s[0] + s[1] * s[1]), limit = wrench_limit(n, load);
    real factor = REAL(1.0), trail = REAL(n->half_length / 3.0);
    if (n->law == WRENCH_BRUSH) {
        const real g = size / (3.0 * limit), rest = 1.0 - g;
        factor = wrench_cubic(size, limit);
        trail = real_select(real_less(g, REAL(1.0)), trail * rest * rest * rest / (1.0 - g + g * g / 3.0), REAL(0.0));
    } else if (n->law == WRENCH_MAGIC) {
        factor = wrench_magic(size, limit, n->shape_factor, n->curvature);
        trail = trail * factor;
    }
    F[0] = factor * s[0];
    F[1] = factor * s[1];
    F[2] = -trail * F[1];
}

/* The forces s that there would be without sliding, from the velocity of the material point along and across, and the speed of rolling:
 * slip by speed, (WH.2); across, the state that follows it, (WH.10). */
static inline void wrench_tyre_slip(real s[2], real *rate, const wrench_numbers *n, const real v[2], real speed,
                                    real state)
{
    const real along = -v[0] / speed, across = n->relaxation > 0.0 ? state : -v[1] / speed;
    s[0] = n->slip_stiffness[0] * along;
    s[1] = n->slip_stiffness[1] * across;
    *rate = n->relaxation > 0.0 ? (-v[1] - speed * state) / n->relaxation : REAL(0.0);
    if (n->rollers) {
        const real on = (-n->slip_stiffness[0] / speed) * (cos(n->angle) * v[0] + sin(n->angle) * v[1]);
        s[0] = cos(n->angle) * on;
        s[1] = sin(n->angle) * on;
    }
}

/* A disk with axis z_B on the x-y plane of A, (WH.1), (WH.2). */
static inline void wrench_tyre(real y[WRENCH_SIZE], const mb_pairing *P, const wrench_numbers *n, real state)
{
    const real *up = P->side[0].E + 6, *axle = P->side[1].E + 6;
    real down[3], along[3], across[3], point[3], v[3], centre[3], F[3] = {0}, M[3] = {0}, s[2], T[3], d[3];
    const real c = dot3(up, axle), size = real_sqrt(real_max(1.0 - c * c, REAL(1e-12)));
    for (int k = 0; k < 3; ++k) {
        down[k] = (c * axle[k] - up[k]) / size;
    }
    cross3(along, axle, up);
    scale3(along, 1.0 / size, along);
    cross3(across, up, along);
    copy3(point, P->side[1].p);
    axpy3(point, REAL(n->radius), down);
    sub3(d, point, P->side[0].p);
    wrench_velocity(v, P, point);
    wrench_velocity(centre, P, P->side[1].p);
    const real delta = -dot3(d, up), rate = -dot3(v, up), load = wrench_press(n, delta, rate);
    const real roll = dot3(centre, along), speed = real_sqrt(roll * roll + n->least_speed * n->least_speed);
    const real slip[2] = {dot3(v, along), dot3(v, across)};
    wrench_tyre_slip(s, &y[WRENCH_RATE], n, slip, speed, state);
    s[1] = s[1] - n->camber * real_atan2(c, size); // towards the side to which the wheel leans
    wrench_tyre_law(T, n, s, load);
    const real touch = real_select(real_less(REAL(0.0), load), REAL(1.0), REAL(0.0));
    axpy3(F, load, up);
    axpy3(F, touch * T[0], along);
    axpy3(F, touch * T[1], across);
    axpy3(M, touch * T[2], up);
    wrench_act(y, P, point, F, M);
    const real pressed = real_select(real_less(REAL(0.0), delta), delta, REAL(0.0));
    real spin[3];
    sub3(spin, P->side[1].b->om, P->side[0].b->om);
    y[WRENCH_V] = 0.5 * n->stiffness * pressed * pressed;
    y[WRENCH_LOSS] = (load - n->stiffness * pressed) * rate - touch * (T[0] * slip[0] + T[1] * slip[1]) - dot3(M, spin);
    y[WRENCH_VALUE] = load;
}

/* ---- wheels on rails -------------------------------------------------------------------------- */

/* How fast the axis of the rail and the generator g of the wheel part along their normal: at their closest points, `there` along g and
 * `here` along x. The generator is no line of the wheel: in yaw its points move otherwise than those of the wheel do. */
static inline real wrench_parting(const mb_pairing *P, const wrench_numbers *n, const real high[3],
                                  const real normal[3], real there, real here)
{
    const real *x = P->side[0].E, *up = P->side[0].E + 6, *axle = P->side[1].E + 6;
    const real c = dot3(up, axle), size = real_sqrt(real_max(1.0 - c * c, REAL(1e-12)));
    real xd[3], upd[3], axled[3], w[3], g[3];
    cross3(xd, P->side[0].b->om, x);
    cross3(upd, P->side[0].b->om, up);
    cross3(axled, P->side[1].b->om, axle);
    const real cd = dot3(upd, axle) + dot3(up, axled), shrinks = -c * cd / size;
    for (int k = 0; k < 3; ++k) {
        const real highd = (upd[k] - cd * axle[k] - c * axled[k] - shrinks * high[k]) / size;
        w[k] = P->side[1].pd[k] - P->side[0].pd[k] + n->radius_a * upd[k] - n->radius * highd;
        g[k] = axled[k] + tan(n->angle) * highd;
    }
    return dot3(normal, w) + there * dot3(normal, g) - here * dot3(normal, xd);
}

/* A cone around z_B, whose radius shrinks along it, on a cylinder along x_A with its top at the origin of A, (WH.5): the generator that points
 * down and the axis of the cylinder are two lines. Creep forces are those of the linear theory, limited as brushes are, (WH.6). */
static inline void wrench_rail(real y[WRENCH_SIZE], const mb_pairing *P, const wrench_numbers *n)
{
    const real *x = P->side[0].E, *up = P->side[0].E + 6, *axle = P->side[1].E + 6;
    const double slope = tan(n->angle);
    real high[3], g[3], normal[3], w[3], point[3], v[3], centre[3], across[3], spin[3], F[3] = {0}, M[3] = {0}, T[3];
    const real c = dot3(up, axle), size = real_sqrt(real_max(1.0 - c * c, REAL(1e-12)));
    for (int k = 0; k < 3; ++k) {
        high[k] = (up[k] - c * axle[k]) / size;
        g[k] = axle[k] + slope * high[k];
    }
    // the normal of both lines, upwards
    cross3(normal, x, g);
    const real length = real_sqrt(dot3(normal, normal));
    scale3(normal, real_select(real_less(dot3(normal, up), REAL(0.0)), -1.0 / length, 1.0 / length), normal);
    // from the axis of the cylinder to the wheel circle; along the generator to the closest point
    sub3(w, P->side[1].p, P->side[0].p);
    axpy3(w, REAL(n->radius_a), up);
    axpy3(w, REAL(-n->radius), high);
    const real gx = dot3(g, x), gg = dot3(g, g), there = (gx * dot3(x, w) - dot3(g, w)) / (gg - gx * gx);
    copy3(point, P->side[1].p);
    axpy3(point, REAL(-n->radius), high);
    axpy3(point, there, g);
    wrench_velocity(v, P, point);
    wrench_velocity(centre, P, P->side[1].p);
    cross3(across, normal, x);
    sub3(spin, P->side[1].b->om, P->side[0].b->om);
    const real delta = n->radius_a - dot3(normal, w), rate = -dot3(v, normal), load = wrench_press(n, delta, rate);
    const real roll = dot3(centre, x), speed = real_sqrt(roll * roll + n->least_speed * n->least_speed);
    const real ex = dot3(v, x) / speed, ey = dot3(v, across) / speed, es = dot3(spin, normal) / speed;
    T[0] = -n->creep[0] * ex;
    T[1] = -n->creep[1] * ey - n->creep[2] * es;
    T[2] = n->creep[2] * ey - n->creep[3] * es;
    if (n->mu > 0.0) {
        const real factor = wrench_cubic(real_sqrt(T[0] * T[0] + T[1] * T[1]), wrench_limit(n, load));
        scale3(T, factor, T);
    }
    const real touch = real_select(real_less(REAL(0.0), load), REAL(1.0), REAL(0.0));
    axpy3(F, load, normal);
    axpy3(F, touch * T[0], x);
    axpy3(F, touch * T[1], across);
    axpy3(M, touch * T[2], normal);
    wrench_act(y, P, point, F, M);
    const real pressed = real_select(real_less(REAL(0.0), delta), delta, REAL(0.0));
    y[WRENCH_V] = 0.5 * n->stiffness * pressed * pressed;
    // what the forces take from both bodies and the spring of the contact does not get
    const real parts = wrench_parting(P, n, high, normal, there, dot3(x, w) + there * gx);
    y[WRENCH_LOSS] = load * rate + n->stiffness * pressed * parts -
                     touch * (T[0] * dot3(v, x) + T[1] * dot3(v, across)) - dot3(M, spin);
    y[WRENCH_VALUE] = load;
}

/* ---- gears ------------------------------------------------------------------------------------ */

/* By how much the teeth of A are ahead of those of B, along the pitch circles, up to a constant and a pitch: from the angles at which the line of
 * centres is seen from both wheels, (WH.7). u: from A to B; d: how long. */
static inline real wrench_mesh_angle(real u[3], real *d, const mb_pairing *P, const wrench_numbers *n)
{
    const real *z = P->side[0].E + 6;
    copy3(u, P->d);
    axpy3(u, -dot3(u, z), z);
    *d = real_sqrt(real_max(dot3(u, u), REAL(1e-24)));
    scale3(u, 1.0 / *d, u);
    real seen[2];
    for (int i = 0; i < 2; ++i) {
        const real *E = P->side[i].E;
        seen[i] = real_atan2(dot3(u, E + 3), dot3(u, E));
    }
    // axes that point against each other turn against each other
    const real same = real_select(real_less(dot3(z, P->side[1].E + 6), REAL(0.0)), REAL(-1.0), REAL(1.0));
    return -n->radius_a * seen[0] - (n->internal ? -1.0 : 1.0) * n->radius * same * seen[1];
}

/* Pushes the flanks that touch; e: by how much the teeth of A are ahead, u: from A to B across the teeth, apart: 1, or -1 in a ring. */
static inline void wrench_teeth(real y[WRENCH_SIZE], const mb_pairing *P, const wrench_numbers *n, real e,
                                const real u[3], const real point[3], double sign)
{
    real t[3], v[3], F[3] = {0}, M[3] = {0};
    e = e - n->offset;
    e = e - n->pitch * real_rint(e / n->pitch);
    cross3(t, P->side[0].E + 6, u);
    wrench_velocity(v, P, point);
    // A ahead by more than half the play pushes B along t, behind by more than that against it; always apart
    const real ahead = real_select(real_less(REAL(0.0), e), REAL(1.0), REAL(-1.0));
    const real delta = ahead * e - 0.5 * n->backlash, rate = -ahead * dot3(v, t);
    const real press = wrench_press(n, delta, rate);
    axpy3(F, ahead * press, t);
    axpy3(F, sign * tan(n->angle) * press, u);
    wrench_act(y, P, point, F, M);
    const real pressed = real_select(real_less(REAL(0.0), delta), delta, REAL(0.0));
    y[WRENCH_V] = 0.5 * n->stiffness * pressed * pressed;
    y[WRENCH_LOSS] = (press - n->stiffness * pressed) * rate - sign * tan(n->angle) * press * dot3(v, u);
    y[WRENCH_VALUE] = ahead * press;
}

static inline void wrench_mesh(real y[WRENCH_SIZE], const mb_pairing *P, const wrench_numbers *n)
{
    const double sign = n->internal ? -1.0 : 1.0;
    real u[3], d, point[3];
    const real e = wrench_mesh_angle(u, &d, P, n);
    copy3(point, P->side[0].p);
    axpy3(point, d * (n->radius_a / (n->radius_a + sign * n->radius)), u);
    wrench_teeth(y, P, n, e, u, point, sign);
}

/* A rack along x_A, whose teeth point along y_A: a wheel A of endless radius. */
static inline real wrench_rack_ahead(const mb_pairing *P, const wrench_numbers *n)
{
    const real *A = P->side[0].E, *B = P->side[1].E, *u = A + 3;
    const real same = real_select(real_less(dot3(A + 6, B + 6), REAL(0.0)), REAL(-1.0), REAL(1.0));
    return dot3(P->d, A) - n->radius * same * real_atan2(dot3(u, B + 3), dot3(u, B));
}

static inline void wrench_rack(real y[WRENCH_SIZE], const mb_pairing *P, const wrench_numbers *n)
{
    real point[3];
    copy3(point, P->side[1].p);
    axpy3(point, REAL(-n->radius), P->side[0].E + 3);
    wrench_teeth(y, P, n, wrench_rack_ahead(P, n), P->side[0].E + 3, point, 1.0);
    y[WRENCH_VALUE] = -y[WRENCH_VALUE]; // along x
}

/* ---- belts ------------------------------------------------------------------------------------ */

/* A toothed belt around both wheels: two spans that only pull, tangent to both, (WH.9). */
static inline void wrench_belt(real y[WRENCH_SIZE], const mb_pairing *P, const wrench_numbers *n)
{
    const real *z = P->side[0].E + 6;
    real u[3], d, t[3], M[3];
    memset(M, 0, sizeof M);
    real e = wrench_mesh_angle(u, &d, P, n) - n->offset;
    e = e - n->pitch * real_rint(e / n->pitch);
    cross3(t, z, u);
    const double step = n->radius_a - n->radius;
    const real length = real_sqrt(real_max(d * d - step * step, REAL(1e-24))), sine = step / d, cosine = length / d;
    for (int k = 0; k < 2; ++k) {
        const double side = k == 0 ? 1.0 : -1.0;
        real out[3], along[3], at[2][3], v[2][3], F[3];
        for (int i = 0; i < 3; ++i) {
            out[i] = sine * u[i] + side * cosine * t[i];
            along[i] = (d * u[i] - step * out[i]) / length;
        }
        for (int i = 0; i < 2; ++i) {
            real arm[3];
            scale3(arm, REAL(i == 0 ? n->radius_a : n->radius), out);
            add3(at[i], P->side[i].p, arm);
            copy3(v[i], P->side[i].pd);
            add_cross3(v[i], REAL(1.0), P->side[i].b->om, arm);
        }
        const real rate = dot3(v[1], along) - dot3(v[0], along);
        const real pull = n->tension + n->stiffness * (side * e + length - n->span);
        const real elastic = real_max(pull, REAL(0.0));
        const real T =
            real_select(real_less(REAL(0.0), pull), real_max(pull + n->damping * rate, REAL(0.0)), REAL(0.0));
        scale3(F, -T, along);
        wrench_act(y, P, at[1], F, M);
        y[WRENCH_V] = y[WRENCH_V] + 0.5 * elastic * elastic / n->stiffness;
        y[WRENCH_LOSS] = y[WRENCH_LOSS] + (T - elastic) * rate;
        y[WRENCH_VALUE] = y[WRENCH_VALUE] + side * T;
    }
}

/* P has velocities and axes of both sides; state: of a tyre with relaxation. */
static inline void wrench_at(real y[WRENCH_SIZE], wrench_kind kind, const mb_pairing *P, const wrench_numbers *n,
                             real state)
{
    memset(y, 0, WRENCH_SIZE * sizeof *y);
    if (kind == WRENCH_TYRE) {
        wrench_tyre(y, P, n, state);
    } else if (kind == WRENCH_RAIL) {
        wrench_rail(y, P, n);
    } else if (kind == WRENCH_MESH) {
        wrench_mesh(y, P, n);
    } else if (kind == WRENCH_RACK) {
        wrench_rack(y, P, n);
    } else if (kind == WRENCH_BELT) {
        wrench_belt(y, P, n);
    }
}

#endif
