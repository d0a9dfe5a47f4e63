/* Benchmark systems with known solutions, for tests, benchmarks and published claims.
 *
 * Each creator fills a problem: group, dense description (analytic C, K, Z, acc unless it says otherwise), system,
 * consistent initial values, and the way to its exact motion. Data are those of the files in test/data, which
 * also hold tables of the solutions (test/problems/table.h). The sign of lambda follows M v' + g + B^T lambda = 0; what each
 * lambda is physically, and its sign against the tables, stands at each creator. */
#ifndef PROBLEMS_H
#define PROBLEMS_H

#include "dalembert/system.h"

enum { PROBLEM_MAX = 64, PROBLEM_PAR = 24 };

typedef struct problem problem;

/* The exact motion as an ordinary differential equation y' = f in ny coordinates of its own choice, and the way back
 * from y to the coordinates of the problem. */
typedef struct problem_motion {
    int ny;
    long double y0[PROBLEM_MAX];
    long double h, tol; /* longest step and tolerance of the extrapolation, see gbs.h */
    void (*f)(long double *f, long double t, const long double *y, const void *p);
    void (*state)(double *q, double *v, double *vd, double *la, long double t, const long double *y,
                  const problem *p); /* none is NULL */
} problem_motion;

/* Where the table of the exact solution is (test/problems/table.h). map: "q0=x1 v3=Om1 a0=xdd1 l2=-Fx ...": number 0 of q is
 * column x1, number 2 of lambda is minus column Fx, a stands for v'. */
typedef struct problem_table {
    const char *file, *columns, *rows, *map;
} problem_table;

struct problem {
    const char *name;
    dal_ctx *ctx;
    dal_group *group;
    dal_dense dense; /* callbacks get `par` or `data` as user pointer: a problem must not be copied */
    dal_system *sys; /* the wrapped dense description */
    int nq, nv, nc;  /* nc: all rows, holonomic ones first */
    double t_end;
    double q0[PROBLEM_MAX], v0[PROBLEM_MAX];
    double par[PROBLEM_PAR];
    void *data; /* owned, from malloc */
    problem_motion motion;
    problem_table table;
};

void problem_free(problem *p); /* also after a failed creation */

/* Every problem with every variant, for tests that run over all of them: k = 0 .. PROBLEM_COUNT - 1. */
enum { PROBLEM_COUNT = 22 };
dal_status problem_nth(problem *p, dal_ctx *ctx, int k) DAL_NODISCARD;

/* Exact states at n increasing times t >= 0: columns of q (nq x n), v, vd (nv x n), la (nc x n). Any may be NULL. */
void problem_exact(const problem *p, double *q, double *v, double *vd, double *la, const double *t, int n);

/* ---- particles and pendulums ------------------------------------------------------------------ */

/* R^2, (x^2 + y^2 - 1)/2 = 0, g = 9.81, energy -9.31: x0 = 0 or 0.2, y0 < 0, x0' > 0. lambda = rod tension, as in
 * the table. */
dal_status problem_pendulum(problem *p, dal_ctx *ctx, double x0) DAL_NODISCARD;

/* R^1, mass 1, driven: q - t^3 = 0; lambda = -6 t. No table. */
dal_status problem_cubic_drive(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* R^5, mass matrix of rank 2: point mass (x, y) on a massless frame (X, Y, phi). lambda = - table: (Rx, Ry, Fx, Fy)
 * of the table are the forces ground -> frame and frame -> mass, i.e. -lambda. */
dal_status problem_massless_frame(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* R^3, mass matrix of rank 2: pendulum (x, y) that drags a massless z = x^2 + y/2 with a spring 20 z. No table.
 * lambda_2 = -20 z. */
dal_status problem_massless_spring(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* ---- rigid bodies ----------------------------------------------------------------------------- */

typedef enum heavy_top_chart {
    HEAVY_TOP_R3SO3,
    HEAVY_TOP_SE3,
    HEAVY_TOP_EULER, /* R^7 = (x, p): mass matrix of rank 6, fourth row (p.p - 1)/2 */
    HEAVY_TOP_CARDAN /* R^6 = (x, a), R = Rx(a1) Rz(a2) Ry(a3): spin last. sin a2 = -x1: |a2| stays below 67 degrees
                        on [0, 1]; at t = 1.447 it comes within 1.8 degrees of the singularity */
} heavy_top_chart;

/* -x + R X = 0. lambda_1..3 = force of the ground on the top, world axes, in every chart and in the table. The fourth
 * multiplier of HEAVY_TOP_EULER is 2 Om.J Om - 2 lambda.R X. */
dal_status problem_heavy_top(problem *p, dal_ctx *ctx, heavy_top_chart chart) DAL_NODISCARD;

/* SO(3), J = diag(1, 2, 3), no constraint: flips about the middle axis. */
dal_status problem_free_top(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* R^3 x SO(3), 200 000 rpm on springs and dampers, constant world torque, no constraint; printed data, or those of the
 * consistent steel disc. */
dal_status problem_rotor(problem *p, dal_ctx *ctx, int steel) DAL_NODISCARD;
/* Positions of the bearing points: from q, and exact at increasing times (3 x n; either may be NULL). The exact motion
 * needs no spin angle, so long intervals are cheap. */
void rotor_bearings(double p1[3], double p2[3], const double *q);
void rotor_bearings_exact(const problem *p, double *p1, double *p2, const double *t, int n);

/* ---- planar mechanisms ------------------------------------------------------------------------ */

/* R^10 = (x1, y1, th1, x2, y2, th2, x3, x4, x5, y5), 8 rows: crank, rod, slider, mass on a spring, massless hinge.
 * Forces of the table: FO = -(l0, l1), FB = (l4, l5) = -(l2, l3), FCx = l6, FCy = N_guide = -l7. */
dal_status problem_slider_crank(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* Andrews' mechanism in the 7 relative angles of the test set, 6 rows. lambda as in the table and in the test set. */
dal_status problem_andrews_angles(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* The same in R^31: 7 bodies (x, y, phi) and massless nodes F, E, D, G, H (x, y); 30 rows, one pair for each place
 * where a body meets a node or the ground, in the order O1 F1 F2 E2 B3 E3 D3 G4 E4 A5 G5 H6 E6 A7 H7, each
 * "node - point of body". A pair of lambda is the force on that body there. Table: lam1..6 = E3, E4, E6; RO = O1,
 * RF = F2, RG = G5, RH = H7, RA5 = A5, RA7 = A7, RB = B3; all with sign +. */
dal_status problem_andrews(problem *p, dal_ctx *ctx) DAL_NODISCARD;
/* The 7 relative angles (or their rates, from v) of a state of the 31. */
void andrews_angles(double angle[7], const double *q31);

/* ---- nonholonomic systems --------------------------------------------------------------------- */

/* R^3, z' - y x' = 0, potential (x^2 + y^2)/2. lambda = - table. */
dal_status problem_nonholonomic_particle(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* R^2 x S^1, skate on an incline: x' sin th - y' cos th = 0. lambda = table's lambda_lateral. */
dal_status problem_knife_edge(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* R^2 x S^1, centre of mass and angle: -sin th x' + cos th y' - a th' = 0. lambda = - table's lambda_lateral. */
dal_status problem_chaplygin_sleigh(problem *p, dal_ctx *ctx) DAL_NODISCARD;

/* R^3 x SO(3), disk rolling on z = 0. holonomic = 1: rows (height; x, y velocity of the contact point), the first
 * holonomic, and the contact force of the table is Fc = -(l1, l2, l0). holonomic = 0: three velocity rows x, y, z,
 * Fc = -(l0, l1, l2). */
dal_status problem_rolling_disk(problem *p, dal_ctx *ctx, int holonomic) DAL_NODISCARD;

/* ---- spatial mechanism ------------------------------------------------------------------------ */

/* (R^3 x SO(3))^3 = crank, rod, slider, 17 rows: A (crank point - ground) 3, crank x axis 2; B (rod - crank) 3;
 * C (rod - slider) 3, rod y'. slider x 1; slider y, z 2 and no rotation 3. crank_com_at_A: the table's variant.
 * Forces of the table: FA = -(l0, l1, l2), FB = -(l5, l6, l7), FC = -(l8, l9, l10), mu_U = l11,
 * FSy = -l12, FSz = -l13. */
dal_status problem_spatial_slider_crank(problem *p, dal_ctx *ctx, int crank_com_at_A) DAL_NODISCARD;

#endif
