/* Scalar rows between two frames: value, gradient and Hessian give everything a joint needs. */
#ifndef DAL_MBS_ROW_IMPL_H
#define DAL_MBS_ROW_IMPL_H

#include "mbs/element_impl.h"
#include "mbs/pairing_kernel.h"

typedef struct mb_row mb_row;
/* Which axes follow the name of a row: none, i, j, or "i.j". */
typedef enum mb_letters { MB_LETTERS_NONE, MB_LETTERS_A, MB_LETTERS_B, MB_LETTERS_BOTH } mb_letters;

/* What a row computes, as code of a generated program (src/generate/rows.c): see MB_ROW. */
typedef struct mb_row_code {
    const char *phi, *gradient, *hessian, *contract; /* phi NULL: zero; contract NULL: from hessian */
} mb_row_code;

struct row_contact;

typedef struct mb_row_type {
    const char *name;
    mb_letters letters;
    int nonholonomic;
    int rotational;            /* depends on rotations only */
    int angle;                 /* known up to whole turns, which are counted */
    dal_coordinate coordinate; /* whose row it is; DAL_COORDINATE_DEFAULT: of none */
    int normal;                /* keeps an axis of A normal to one of B */
    unsigned axes;             /* sides whose axes it reads: MB_AXES_A, MB_AXES_B */
    unsigned turns;            /* sides whose rotation matters beyond that */
    double (*phi)(const mb_row *r, const mb_pairing *P);
    void (*gradient)(double g[12], const mb_row *r, const mb_pairing *P);
    void (*contract)(double z[12], const mb_row *r, const mb_pairing *P);            /* V^T H; NULL: from hessian */
    void (*hessian)(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P); /* H += la H */
    struct row_contact (*contact)(double c, const mb_pairing *P); /* rolling: where the contact point is */
    mb_row_code code;
} mb_row_type;

struct mb_row {
    const mb_row_type *type;
    int i, j;                     /* axes of A and of B */
    double c, c2;                 /* constants of the row */
    double period;                /* Phi is known modulo this; 0: exactly */
    int f;                        /* Phi = phi - f(t) */
    const struct mb_curve *curve; /* of two features that meet: a curve of one of them, and the part of it */
    int part;
    int memory; /* of an angle whose turns are counted: where angle and rate are in the memory; 0: they are not */
};

/* A type of rows, mb_row_<row>: its value phi, its gradient g and its Hessian, added to H times la, then what differs from zero
 * in mb_row_type. The three are compiled, and printed into generated programs, from the same text. In it A and B are axis i of
 * frame A and axis j of frame B, c is the constant of the row, P the pairing of the frames. */
#define MB_ROW(row, phi_, ...)                                    \
    static double row##_phi(const mb_row *r, const mb_pairing *P) \
    {                                                             \
        MB_ROW_NAMES;                                             \
        return phi_;                                              \
    }                                                             \
    MB_ROW_RATE(row, __VA_ARGS__, .phi = row##_phi, .code.phi = #phi_)
/* The same of a row between velocities, which has no value. */
#define MB_ROW_RATE(row, gradient_, hessian_, ...)                                            \
    static void row##_gradient(double g[12], const mb_row *r, const mb_pairing *P)            \
    {                                                                                         \
        MB_ROW_NAMES;                                                                         \
        gradient_;                                                                            \
    }                                                                                         \
    static void row##_hessian(mb_hessian *H, double la, const mb_row *r, const mb_pairing *P) \
    {                                                                                         \
        MB_ROW_NAMES;                                                                         \
        hessian_;                                                                             \
    }                                                                                         \
    const mb_row_type mb_row_##row = {.gradient = row##_gradient,                             \
                                      .hessian = row##_hessian,                               \
                                      .code.gradient = #gradient_,                            \
                                      .code.hessian = #hessian_,                              \
                                      __VA_ARGS__}
/* i and j of rows without letters are codes that may be larger. */
#define MB_ROW_NAMES                                                                               \
    const double *A = P->side[0].E + 3 * (r->i & 3), *B = P->side[1].E + 3 * (r->j & 3), c = r->c; \
    const int i = r->i, j = r->j;                                                                  \
    (void)A, (void)B, (void)c, (void)i, (void)j

extern const mb_row_type mb_row_dot, mb_row_axis, mb_row_square, mb_row_length, mb_row_angle, mb_row_screw,
    mb_row_disk_height, mb_row_sphere_height, mb_row_disk_slip, mb_row_sphere_slip, mb_row_edge, mb_row_spin,
    mb_row_limit_axis, mb_row_limit_length, mb_row_limit_angle, mb_row_rate_axis, mb_row_rate_length, mb_row_touch,
    mb_row_slide;

/* "axes x.z", "along y", "height" ... */
void mb_row_text(char *buffer, size_t size, const mb_row *r);
double mb_row_phi(const mb_row *r, const mb_pairing *P, const double f[3]);
void mb_row_contract(double z[12], const mb_row *r, const mb_pairing *P);
/* Row of a coordinate. */
mb_row mb_coordinate_row(dal_coordinate coordinate, int axis);
/* Its value at time t; of an angle whose turns are counted the continuous one (MB.16). *reach, may be NULL: of an angle
 * the length of the projection it is measured on (1 where the axes of A and B agree, 0 where there is no angle), else 1. */
double mb_coordinate_value(double *reach, const mb_row *r, const mb_pairing *P, const mb_instance *m, double t);

#endif
