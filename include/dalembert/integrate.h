/* dalembert/integrate.h - time integration methods and their options (docs/theory/genalpha.md, labels GA.*, IN.*;
 * docs/theory/lobatto.md, labels LB.*; docs/theory/rk.md, labels RK.*).
 *
 * The Lie group generalized-alpha family: index 3, index 2, index 1 and stabilised index 2 (GGL), with the
 * sigma modification in its exact form; and the Lobatto IIIA-IIIB pairs of order 2, 4, 6, ... for tight tolerances; and
 * explicit Runge-Kutta methods of order 5 and 8 for motion that is not stiff.
 * Simulations are run through dal_sim (sim.h); this header has the options and what can be asked of a method
 * without a system. */
#ifndef DALEMBERT_INTEGRATE_H
#define DALEMBERT_INTEGRATE_H

#include "dalembert/linsol.h"
#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- options ---------------------------------------------------------------------------------- */

typedef enum dal_integrator_kind {
    DAL_INTEGRATOR_GENALPHA,
    DAL_INTEGRATOR_LOBATTO,
    DAL_INTEGRATOR_RK,
    DAL_INTEGRATOR_AUTO,
    DAL_INTEGRATOR_DEFAULT, /* see dal_options_resolve */
    DAL_INTEGRATOR_BDF,
    DAL_INTEGRATOR_RATTLIE
} dal_integrator_kind;
typedef enum dal_lambda {
    DAL_LAMBDA_CONSISTENT,
    DAL_LAMBDA_SYMMETRIC,
    DAL_LAMBDA_CARRIED,
    DAL_LAMBDA_VARIATIONAL
} dal_lambda;
typedef enum dal_formulation {
    DAL_FORMULATION_INDEX3,
    DAL_FORMULATION_INDEX2,
    DAL_FORMULATION_INDEX1,
    DAL_FORMULATION_GGL,
    DAL_FORMULATION_DEFAULT /* see dal_options_resolve */
} dal_formulation;
typedef enum dal_parameters {
    DAL_PARAMETERS_CHUNG_HULBERT,
    DAL_PARAMETERS_HHT,
    DAL_PARAMETERS_NEWMARK,
    DAL_PARAMETERS_FREE
} dal_parameters;
typedef enum dal_kinematics {
    DAL_KINEMATICS_EXACT,
    DAL_KINEMATICS_PRINTED,
    DAL_KINEMATICS_PRINTED_HALF
} dal_kinematics;
typedef enum dal_jacobian {
    DAL_JACOBIAN_EXACT,
    DAL_JACOBIAN_PAPER,
    DAL_JACOBIAN_SIMPLIFIED,
    DAL_JACOBIAN_SERIES
} dal_jacobian;
typedef enum dal_newton_kind { DAL_NEWTON_FULL, DAL_NEWTON_MODIFIED, DAL_NEWTON_AUTO } dal_newton_kind;
typedef enum dal_newton_stop { DAL_STOP_INCREMENT, DAL_STOP_RESIDUAL } dal_newton_stop;
typedef enum dal_tangent { DAL_TANGENT_EXACT, DAL_TANGENT_FORCES } dal_tangent_kind;
typedef enum dal_unknowns { DAL_UNKNOWNS_POSITION, DAL_UNKNOWNS_VELOCITY } dal_unknowns;
typedef enum dal_predictor { DAL_PREDICTOR_EXTRAPOLATE, DAL_PREDICTOR_HOLD, DAL_PREDICTOR_ZERO } dal_predictor;
typedef enum dal_starting { DAL_STARTING_PERTURBED, DAL_STARTING_ACCELERATION, DAL_STARTING_NAIVE } dal_starting;
typedef enum dal_start_difference { DAL_DIFFERENCE_CENTRAL, DAL_DIFFERENCE_FORWARD } dal_start_difference;
typedef enum dal_initial {
    DAL_INITIAL_PROJECT,
    DAL_INITIAL_STRICT,
    DAL_INITIAL_ACCEPT,
    DAL_INITIAL_STATIC
} dal_initial;
typedef enum dal_redundant { DAL_REDUNDANT_ERROR, DAL_REDUNDANT_DROP, DAL_REDUNDANT_LEAST_NORM } dal_redundant;
typedef enum dal_projection { DAL_PROJECTION_NONE, DAL_PROJECTION_PLAIN, DAL_PROJECTION_COMPENSATED } dal_projection;
typedef enum dal_step_control {
    DAL_STEP_FIXED,
    DAL_STEP_ADAPTIVE,
    DAL_STEP_FIXED_OR_CUT,
    DAL_STEP_AUTO /* see dal_options_resolve */
} dal_step_control;
typedef enum dal_impacts { DAL_IMPACTS_AUTO, DAL_IMPACTS_LOCATED, DAL_IMPACTS_CAPTURED } dal_impacts;
typedef enum dal_transfer { DAL_TRANSFER_FULL, DAL_TRANSFER_ACCELERATION, DAL_TRANSFER_NONE } dal_transfer;

/* sigma of (GA.2), in the option sigma_rule: the number in `sigma`, or one that follows from the other coefficients. */
typedef enum dal_sigma_rule {
    DAL_SIGMA_NUMBER,
    DAL_SIGMA_OPT, /* gamma/(3 beta): cancels the Lie group term of the local error */
    DAL_SIGMA_SPIN /* cancels the whole leading term for fast steady spin */
} dal_sigma_rule;

/* All options of a simulation: X(KIND, type, name, default, min, max, words, text). */
#define DAL_OPTIONS(X)                                                                                                \
    X(CHOICE, int, integrator, DAL_INTEGRATOR_DEFAULT, 0, 0, dal_words_integrator,                                    \
      "genalpha: generalized-alpha, second order; lobatto: Lobatto IIIA-IIIB, order 2 stages - 2 (LB.1); rk: "        \
      "explicit Runge-Kutta, for motion that is not stiff (RK.1); auto: rk until stability limits its steps, "        \
      "then genalpha unless that costs more, by the tolerance step_rtol; default: auto if none of formulation, "      \
      "step and h is given, otherwise genalpha; bdf: backward differences, order 1 to 5 (BD.1); rattlie: "            \
      "variational, "                                                                                                 \
      "conserves, order 2, 4, 6, 8 (RT.1)")                                                                           \
    X(INT, int, stages, 4, 2, 16, NULL, "stages of lobatto; its order is 2 stages - 2")                               \
    X(CHOICE, int, lambda, DAL_LAMBDA_CONSISTENT, 0, 0, dal_words_lambda,                                             \
      "lobatto: multipliers made consistent after each step (LB.6); symmetric: a method that keeps the energy in "    \
      "long runs of fixed steps (LJ.1); carried: as published; variational: as symmetric, and symplectic (LJ.5)")     \
    X(CHOICE, int, formulation, DAL_FORMULATION_DEFAULT, 0, 0, dal_words_formulation,                                 \
      "genalpha: which constraint equations hold at the end of a step (GA.5); default: ggl, see methods.md")          \
    X(CHOICE, int, parameters, DAL_PARAMETERS_CHUNG_HULBERT, 0, 0, dal_words_parameters,                              \
      "where alpha_m, alpha_f, beta, gamma come from")                                                                \
    X(REAL, double, rho_inf, 0.9, 0.0, 1.0, NULL,                                                                     \
      "spectral radius at infinity (chung_hulbert): 1 no damping, 0 strongest")                                       \
    X(REAL, double, alpha, 0.05, 0.0, 0.3333333333333333, NULL, "numerical damping of hht")                           \
    X(REAL, double, alpha_m, 0.0, -2.0, 1.0, NULL, "alpha_m of parameters = free")                                    \
    X(REAL, double, alpha_f, 0.0, -2.0, 1.0, NULL, "alpha_f of parameters = free")                                    \
    X(REAL, double, beta, 0.25, 0.0, 2.0, NULL, "beta of parameters = newmark or free")                               \
    X(REAL, double, gamma, 0.5, 0.0, 2.0, NULL, "gamma of parameters = newmark or free")                              \
    X(FLAG, int, allow_unstable, 0, 0, 1, NULL, "accept parameters that fail the stability check")                    \
    X(RULED, double, sigma, 1.0, -100.0, 100.0, dal_words_sigma,                                                      \
      "modification of the kinematic relation (GA.2): 0 geom1, 1 simplest and most robust, opt, spin, any number")    \
    X(CHOICE, int, kinematics, DAL_KINEMATICS_EXACT, 0, 0, dal_words_kinematics,                                      \
      "exact: (GA.6); printed: the incremental algorithms as published, for comparison; printed_half: with the "      \
      "predictor factor 1/2 of their derivation (GA.12)")                                                             \
    X(CHOICE, int, jacobian, DAL_JACOBIAN_EXACT, 0, 0, dal_words_jacobian,                                            \
      "exact (GA.7), paper (without dT), simplified (T = I), or series: P^-1 of the published algorithms to second "  \
      "order (NW.12)")                                                                                                \
    X(CHOICE, int, newton, DAL_NEWTON_AUTO, 0, 0, dal_words_newton,                                                   \
      "full: a new Jacobian in every step; modified: kept while it contracts; auto: whichever costs less in the "     \
      "run, by counts (NW.7), full for lobatto")                                                                      \
    X(CHOICE, int, predictor, DAL_PREDICTOR_EXTRAPOLATE, 0, 0, dal_words_predictor,                                   \
      "first iterate of a step: v' and lambda extrapolated from the last states (NW.5), held, or zero, as published") \
    X(FLAG, int, scaling, 1, 0, 1, NULL, "scale equations and unknowns by powers of h (GA.9)")                        \
    X(FLAG, int, line_search, 1, 0, 1, NULL, "shorten Newton steps that increase the residual")                       \
    X(REAL, double, atol, 1e-10, 1e-300, 1.0, NULL, "absolute tolerance of Newton's method, scaled quantities")       \
    X(REAL, double, rtol, 1e-8, 1e-15, 1.0, NULL, "relative tolerance of Newton's method")                            \
    X(INT, int, max_iterations, 20, 1, 1000, NULL, "most iterations of Newton's method in a step")                    \
    X(CHOICE, int, starting, DAL_STARTING_PERTURBED, 0, 0, dal_words_starting,                                        \
      "starting values: perturbed (IN.1)-(IN.3), acceleration (IN.1) only, naive")                                    \
    X(CHOICE, int, start_difference, DAL_DIFFERENCE_CENTRAL, 0, 0, dal_words_start_difference,                        \
      "how v'' is differenced for the starting values")                                                               \
    X(CHOICE, int, initial, DAL_INITIAL_PROJECT, 0, 0, dal_words_initial,                                             \
      "inconsistent initial values: project them, strict refuses them, accept takes them as they are; static: start " \
      "at rest in the equilibrium close to the initial position")                                                     \
    X(REAL, double, initial_tol, 1e-9, 0.0, 1e300, NULL,                                                              \
      "constraint residual up to which initial values count as "                                                      \
      "consistent")                                                                                                   \
    X(CHOICE, int, redundant, DAL_REDUNDANT_ERROR, 0, 0, dal_words_redundant,                                         \
      "constraint rows that depend on the others: error, drop (their multipliers are zero), least_norm (shared)")     \
    X(REAL, double, redundant_tol, 1e-2, 0.0, 1e300, NULL,                                                            \
      "how far off (m or rad) a row may get that was left out in a singular configuration; a warning comes at once")  \
    X(CHOICE, int, projection, DAL_PROJECTION_NONE, 0, 0, dal_words_projection,                                       \
      "velocity projection during the run; compensated keeps second order in lambda")                                 \
    X(INT, int, projection_every, 0, 0, 1000000000, NULL, "project after every so many steps; 0: only at the times")  \
    X(REALS, dal_reals, projection_times, 0, -1e300, 1e300, NULL, "project at these times")                           \
    X(FLAG, int, project_position, 0, 0, 1, NULL, "project positions as well (index2, index1)")                       \
    X(CHOICE, int, step, DAL_STEP_AUTO, 0, 0, dal_words_step,                                                         \
      "fixed or adaptive step size; fixed_or_cut: fixed, but a step that fails is repeated in parts of h/2, h/4 ... " \
      "h/1024; auto: adaptive for integrator = rk and auto, fixed for the others")                                    \
    X(REAL, double, h, 0.0, 1e-300, 1e300, dal_words_h,                                                               \
      "step size; adaptive: first step; auto: not given, 0.001 where one is needed")                                  \
    X(REAL, double, h_min, 0.0, 0.0, 1e300, NULL, "smallest step of adaptive control; 0: rounding decides")           \
    X(REAL, double, h_max, 0.0, 0.0, 1e300, NULL,                                                                     \
      "largest step of adaptive control; 0: the error decides, and a hundredth of the run where there is none")       \
    X(REAL, double, step_atol, 1e-9, 0.0, 1e300, NULL,                                                                \
      "adaptive: absolute tolerance on velocities (SC.1); less in models below a millimetre (SX.1)")                  \
    X(REAL, double, step_rtol, -1.0, 0.0, 1.0, dal_words_step_rtol,                                                   \
      "adaptive: relative tolerance (SC.1); auto: 1e-6 for integrator = auto, about five digits, "                    \
      "1e-4 for the others")                                                                                          \
    X(INT, int, max_steps, 0, 0, 2000000000, NULL, "give up after so many steps; 0: no limit")                        \
    X(CHOICE, int, transfer, DAL_TRANSFER_FULL, 0, 0, dal_words_transfer,                                             \
      "how a and v are carried over a change of step size (SC.3); the others lose an order in lambda")                \
    X(CHOICE, int, linear_solver, DAL_LINSOL_AUTO, 0, 0, dal_words_linear_solver,                                     \
      "solver for the iteration matrix (klu, lapack: what sparse and dense were up to 0.3)")                          \
    X(INT, int, order, 0, 0, 8, NULL,                                                                                 \
      "order of rk: 5 or 8 (RK.2), 0: 8; of bdf: 1 to 5, with adaptive steps the largest (BD.2), 0: 2; "              \
      "of rattlie: 2, 4, 6 or 8 (RT.7), 0: 2")                                                                        \
    X(CHOICE, int, stop, DAL_STOP_INCREMENT, 0, 0, dal_words_stop,                                                    \
      "genalpha: what ends Newton's method: increment (GA.11), or residual alone, as published, for comparison "      \
      "(NW.9)")                                                                                                       \
    X(CHOICE, int, tangent, DAL_TANGENT_EXACT, 0, 0, dal_words_tangent,                                               \
      "genalpha: exact, or forces: as published, without the changes of M v' and B^T lambda with q (NW.9)")           \
    X(CHOICE, int, unknowns, DAL_UNKNOWNS_POSITION, 0, 0, dal_words_unknowns,                                         \
      "kinematics = printed and printed_half, index3 and index2: Newton's method solves for increments of theta, or " \
      "of v, which needs no P^-1 (NW.12)")                                                                            \
    X(CHOICE, int, impacts, DAL_IMPACTS_AUTO, 0, 0, dal_words_impacts,                                                \
      "of contacts: located to rounding, with every integrator; captured at the ends of steps, with genalpha, for "   \
      "many contacts (CT.30); auto: captured with contact groups and beyond 200 contacts")

/* Make one with dal_options_init. Its size tells the library which options the caller was compiled with; options that
 * are added later come at the end and keep their defaults for programs compiled before. */
typedef struct dal_options {
    size_t size;
    DAL_OPTIONS(DAL_OPTION_FIELD)
} dal_options;

DAL_API const dal_option_table *dal_options_table(void);
/* Decide what options leave to the library, as dal_sim_create does with its copy of them:
 *   integrator = default: auto if formulation, step and h are left at their defaults (no method and no step size is
 *       given: a tolerance controls the run, step_rtol), otherwise genalpha
 *   formulation = default: ggl for genalpha, auto and bdf; the other integrators have none
 *   step = auto: adaptive for rk and auto, fixed for the others
 *   h = 0 ("auto"): 0.001 s
 *   order = 0: 8 for rk and auto, 2 for bdf and rattlie
 *   step_rtol = -1 ("auto"): 1e-6 for auto, 1e-4 for the others
 * Options that say all this stay as they are. NULL is fine. */
DAL_API void dal_options_resolve(dal_options *options);
/* Defaults: no method, see dal_options_resolve; rho_inf = 0.9, sigma = 1, perturbed starting values, newton = auto. */
static inline dal_options dal_options_init(void);
DAL_API void dal_options_init_(dal_options *options, size_t size);

static inline dal_options dal_options_init(void)
{
    dal_options options;
    dal_options_init_(&options, sizeof(dal_options));
    return options;
}

/* Methods by name, "ggl" or "lobatto3": settings of the options that belong together. */
typedef struct dal_method {
    const char *name; /* NULL: no such number */
    const char *set;  /* assignments, separated by blanks */
    int order;
    const char *text; /* one line */
} dal_method;

DAL_API int dal_method_count(void);
DAL_API dal_method dal_method_get(int k); /* 0 .. count - 1 */
/* Apply "NAME" or "NAME:key=value:key=value" to options. On failure nothing changes. */
DAL_API dal_status dal_options_method(dal_ctx *ctx, dal_options *options, const char *text) DAL_NODISCARD;

/* ---- the method without a system -------------------------------------------------------------- */

/* Coefficients of (GA.2)-(GA.4) with sigma as a number. */
typedef struct dal_ga_coef {
    double alpha_m, alpha_f, beta, gamma, sigma;
    double C_q; /* (1 - 6 beta - 3 D)/6, D = alpha_m - alpha_f: coefficient of h^3 v'' in (IN.2) */
    double C_h; /* (1/3 - sigma beta/gamma)/4: coefficient of h^3 hat(v) v' in (IN.2) */
} dal_ga_coef;

/* Coefficients from the options; refuses unstable ones (override: allow_unstable) and says why. */
DAL_API dal_status dal_ga_coefficients(dal_ctx *ctx, dal_ga_coef *coef, const dal_options *options) DAL_NODISCARD;

/* Coefficients of the Lobatto IIIA-IIIB pair with 2 <= s <= DAL_STAGES_MAX stages: nodes c and weights b (s), A of IIIA
 * and Ahat of IIIB (s x s, column-major). (LB.2) */
enum { DAL_STAGES_MAX = 16 };
DAL_API dal_status dal_lobatto_coefficients(dal_ctx *ctx, double *c, double *b, double *A, double *Ahat,
                                            int s) DAL_NODISCARD;

/* Error recursion E_{n+1} = T E_n of the algebraic variables, T = T+^-1 T0: 3 x 3 for index 3, 2 x 2 for
 * the stabilised index 2 formulation, column-major; *n receives the size.  (ER.1) */
DAL_API dal_status dal_error_recursion(dal_ctx *ctx, double T[9], int *n, const dal_ga_coef *coef,
                                       dal_formulation formulation) DAL_NODISCARD;
/* max_n ||T^n||_2 for n = 0 .. nmax and where it is attained: how far starting errors can be amplified. */
DAL_API double dal_error_amplification(int *attained_at, const double T[9], int n, int nmax);

#ifdef __cplusplus
}
#endif
#endif
