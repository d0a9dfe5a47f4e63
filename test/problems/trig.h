/* Constraint rows of planar mechanisms: sums of coordinates, cosines and sines,
 *
 *     Phi_r = c_r + sum of  lin q_k  and  C cos(q_k + q_k2) + S sin(q_k + q_k2)
 *
 * which covers every pin joint, in absolute and in relative angles. */
#ifndef PROBLEMS_TRIG_H
#define PROBLEMS_TRIG_H

enum { TRIG_ROWS = 32, TRIG_TERMS = 128 };

typedef struct trig_term {
    int row, k, k2; /* k2 < 0: the angle is q_k alone */
    double lin, C, S;
} trig_term;

/* Zero-initialise and set nrows, nv. */
typedef struct trig_rows {
    int nrows, nv, nterms;
    double c[TRIG_ROWS];
    trig_term term[TRIG_TERMS];
} trig_rows;

void trig_linear(trig_rows *R, int row, int k, double lin);
/* sign (a cos - b sin, a sin + b cos) of the angle q_k + q_k2 in rows row, row + 1: the vector (a, b) turned. */
void trig_vector(trig_rows *R, int row, double sign, int k, int k2, double a, double b);
/* sign times the point (a, b) of the body whose x, y, angle are q_i, q_i+1, q_i+2. */
void trig_point(trig_rows *R, int row, double sign, int i, double a, double b);

/* Phi (nrows), B and Z = d(B v)/dq (nrows x nv), acc = Z v (nrows). */
void trig_Phi(const trig_rows *R, double *Phi, const double *q);
void trig_B(const trig_rows *R, double *B, const double *q);
void trig_Z(const trig_rows *R, double *Z, const double *q, const double *v);
void trig_acc(const trig_rows *R, double *w, const double *q, const double *v);
/* K += d(B^T la)/dq (nv x nv) */
void trig_add_K(const trig_rows *R, double *K, const double *q, const double *la);

#endif
