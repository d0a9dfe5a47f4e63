/* Inertia of a flexible body, (FX.4)-(FX.9).
 *
 * A mass point at a in the body frame is at s = a + psi z + g(z, z)/2 when the body is deformed, with modal coordinates z;
 * d_k s = psi_k + g_k(z) is the derivative with respect to z_k. Its velocity is R (R^T x' + Omega x s + s'), with s' = sum
 * d_k s z_k'. Put into the virtual work sum m dp.(p'' - gravity), this gives sums over the nodes that depend on z linearly
 * or quadratically. mb_flex has the sums that do not depend on z, taken once when the body is added; mb_flex_update finds
 * those at the present z and z' (mb_flex_state), so that a step costs 9 n^2 multiplications for n modes, however many nodes
 * there are.
 *
 * The body in its present shape is a rigid body with the first moment mc and the inertia J of that shape, which
 * body_element.c handles. The rest is here: Coriolis terms 2 Omega x s', the acceleration s'' of the shape itself, and one
 * equation for each mode. */
#include "mbs/flex_impl.h"

void mb_flex_state_carve(mb_flex_state *bent, dal_arena *arena, int n)
{
    mb_flex_state x = {0};
    double **of_modes[] = {&x.z0, &x.zd0, &x.z, &x.zd, &x.C, &x.Q, &x.Y, &x.U, &x.turned};
    static const int size[] = {1, 1, 1, 1, 3, 9, 9, 9, 9};
    for (size_t k = 0; k < sizeof size / sizeof size[0]; ++k) {
        *of_modes[k] = dal_arena_reals(arena, size[k] * n);
    }
    if (bent) {
        *bent = x;
    }
}

/* c += s sum a x b, given X = sum a b^T */
static inline void add_axial(double c[3], double s, const double X[9])
{
    c[0] += s * (X[7] - X[5]);
    c[1] += s * (X[2] - X[6]);
    c[2] += s * (X[3] - X[1]);
}

static inline double trace(const double X[9])
{
    return X[0] + X[4] + X[8];
}

/* sum of A_ij B_ij */
static inline double inner9(const double A[9], const double B[9])
{
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) {
        sum += A[k] * B[k];
    }
    return sum;
}

static inline void add9(double A[9], double s, const double B[9])
{
    for (int k = 0; k < 9; ++k) {
        A[k] += s * B[k];
    }
}

/* y += s sum a x (w x b) = s (tr(X) I - X^T) w, given X = sum a b^T */
static inline void add_coriolis(double y[3], double s, const double X[9], const double w[3])
{
    axpy3(y, s * trace(X), w);
    y[0] -= s * dot3(X, w);
    y[1] -= s * dot3(X + 3, w);
    y[2] -= s * dot3(X + 6, w);
}

/* First moment mc, and J = tr(P) I - P + Jr with P = sum m s s^T = P0 + sym sum z_k (P1_k^T + Q_k), (FX.5). */
static void present_inertia(mb_body *b)
{
    const mb_flex *f = b->flex;
    const mb_flex_state *x = b->bent;
    double P[9] = {0.0};
    copy3(b->mc, f->c0);
    for (int k = 0; k < f->n; ++k) {
        // mc = c0 + sum z_k (C1_k + C_k)/2, as C_k has the derivative of the quadratic part
        axpy3(b->mc, 0.5 * x->z[k], f->C1 + 3 * (size_t)k);
        axpy3(b->mc, 0.5 * x->z[k], x->C + 3 * (size_t)k);
        add9(P, x->z[k], f->P1 + 9 * (size_t)k);
        add9(P, x->z[k], x->Q + 9 * (size_t)k);
    }
    // P1 and its transpose are the same after symmetrising
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            b->J[i + 3 * j] = f->Jr[i + 3 * j] - f->P0[i + 3 * j] - 0.5 * (P[i + 3 * j] + P[j + 3 * i]);
        }
    }
    add_unit(b->J, trace(f->P0) + trace(P));
    b->centred = 0;
}

/* C_k = sum m d_k s, Q_k = sum m s (d_k s)^T, Y_k = sum m (psi z') psi_k^T, and with stiffening U_k = sum z_l' W_lk; then
 * Qv = sum z_k' Q_k, the momentum p = sum C_k z_k' and angular momentum L in the frame, e and w from g(z', z'). */
void mb_flex_update(mb_body *b, const double *z, const double *zd)
{
    const mb_flex *f = b->flex;
    mb_flex_state *x = b->bent;
    const int n = f->n;
    memcpy(x->z, z, (size_t)n * sizeof(double));
    memcpy(x->zd, zd, (size_t)n * sizeof(double));
    memcpy(x->C, f->C1, (size_t)(3 * n) * sizeof(double));
    memcpy(x->Q, f->P1, (size_t)(9 * n) * sizeof(double));
    memset(x->Qv, 0, sizeof x->Qv);
    for (int i = 0; i < 3; ++i) {
        x->p[i] = x->L[i] = x->e[i] = x->w[i] = 0.0;
    }
    for (int k = 0; k < n; ++k) {
        const size_t at = (size_t)n * (size_t)k;
        double *Q = x->Q + 9 * (size_t)k;
        mb_gemv(Q, f->P2 + 9 * at, 9, z, n, 1);
        mb_gemv(x->Y + 9 * (size_t)k, f->P2 + 9 * at, 9, zd, n, 0);
        if (f->W) {
            double g[3];
            mb_gemv(Q, f->W + 9 * at, 9, z, n, 1);
            mb_gemv(x->U + 9 * (size_t)k, f->W + 9 * at, 9, zd, n, 0);
            mb_gemv(x->C + 3 * (size_t)k, f->G + 3 * at, 3, z, n, 1);
            mb_gemv(g, f->G + 3 * at, 3, zd, n, 0);
            axpy3(x->e, zd[k], g);
            add_axial(x->w, zd[k], x->U + 9 * (size_t)k);
        }
        add9(x->Qv, zd[k], Q);
        axpy3(x->p, zd[k], x->C + 3 * (size_t)k);
        axpy3(x->L, zd[k], f->Hr + 3 * (size_t)k);
    }
    add_axial(x->L, 1.0, x->Qv);
    present_inertia(b);
}

/* The equations for the frame are in world axes (force) and body axes (torque), like those of a rigid body; rotations of the
 * frame change R by R theta~. Sums over nodes of products of two vectors are kept as 3 x 3 matrices X = sum m a b^T: a cross
 * product a x b is the axial vector of X, a dot product a.(A b) is tr(A X). */

/* What residual and tangent share: A = Omega'~ + Omega~ Omega~, so that A s is the acceleration of a point that rests in the
 * frame; b = R^T (x'' - gravity); Hr z'; and e = 2 Omega x p + C z'' + g(z', z'), the rest of the force in body axes. */
typedef struct terms {
    double A[9], b[3], Hz[3], e[3];
} terms;

static void terms_at(terms *T, const mb_flex *f, const mb_flex_state *x, const mb_state *s, const double gravity[3],
                     const double *zdd)
{
    double y[3];
    memset(T->A, 0, sizeof T->A);
    add_tilde(T->A, 1.0, s->Omd);
    add_tilde_tilde(T->A, 3, 0, 0, 1.0, s->Om, s->Om);
    sub3(y, s->xdd, gravity);
    tmul3(T->b, s->R, y);
    mb_gemv(T->Hz, f->Hr, 3, x->zd, f->n, 0);
    copy3(T->e, x->e);
    add_cross3(T->e, 2.0, s->Om, x->p);
    mb_gemv(T->e, x->C, 3, zdd, f->n, 1);
}

/* (FX.6) and (FX.7) to the rows of the frame, (FX.8) to those of the modes. */
static void deformation_residual(double *r, const mb_body *b, const mb_state *s, const double gravity[3],
                                 const dal_point *at)
{
    const mb_flex *f = b->flex;
    const mb_flex_state *x = b->bent;
    const int n = f->n;
    const double *zdd = at->vd + b->v + 6;
    double At[9], Re[3];
    terms T;
    terms_at(&T, f, x, s, gravity, zdd);
    transpose3(At, T.A);
    // frame: R e; 2 (tr Qv I - Qv^T) Omega + Omega x Hr z' + sum a x g(z', z') + h z''
    mat3_mul_vec(Re, s->R, 3, T.e);
    add3(r, r, Re);
    add_coriolis(r + 3, 2.0, x->Qv, s->Om);
    add_cross3(r + 3, 1.0, s->Om, T.Hz);
    add3(r + 3, r + 3, x->w);
    for (int k = 0; k < n; ++k) {
        const double *Q = x->Q + 9 * (size_t)k, *C = x->C + 3 * (size_t)k, *Hr = f->Hr + 3 * (size_t)k;
        double h[3], y[3] = {0.0, 0.0, 0.0}, sum;
        copy3(h, Hr);
        add_axial(h, 1.0, Q);
        axpy3(r + 3, zdd[k], h);
        // tr(A Q_k) is the sum of the entries of A^T times those of Q_k
        // mode: C_k.b + tr(A Q_k) + 2 Omega.(sum u' x psi_k) + Hr_k.Omega' + (M z'' + K z)_k + D_k z_k'
        add_axial(y, 2.0, x->Y + 9 * (size_t)k);
        sum = dot3(C, T.b) + inner9(At, Q) + dot3(s->Om, y) + dot3(Hr, s->Omd) + f->D[k] * x->zd[k];
        for (int l = 0; l < n; ++l) {
            sum += f->M[l + n * k] * zdd[l] + f->K[l + n * k] * x->z[l];
        }
        r[6 + k] += sum;
    }
}

/* Column of mode l in the rows of the frame: derivatives of (FX.6) and (FX.7) with respect to z_l'', z_l' and z_l. */
static void frame_columns(const mb_flex_block *out, const mb_flex *f, const mb_flex_state *x, const mb_state *s,
                          const terms *T, const double *zdd, int l)
{
    const int n = f->n, ld = out->ld;
    const size_t at = (size_t)n * (size_t)l;
    const double *Q = x->Q + 9 * (size_t)l, *Y = x->Y + 9 * (size_t)l, *C = x->C + 3 * (size_t)l;
    const double *U = x->U + 9 * (size_t)l, *Hr = f->Hr + 3 * (size_t)l;
    double *M = out->M + (size_t)((6 + l) * ld), *Cc = out->C + (size_t)((6 + l) * ld);
    double *K = out->K + (size_t)((6 + l) * ld), u[3], X[9], S[9], SA[9], At[9];
    // M: R C_l; sum s x d_l s + Hr_l
    mat3_mul_vec(M, s->R, 3, C);
    add3(M + 3, M + 3, Hr);
    add_axial(M + 3, 1.0, Q);
    // C: 2 R (Omega x C_l + g(z', l)); 2 (tr Q_l I - Q_l^T) Omega + Omega x Hr_l + 2 sum a x g(z', l)
    cross3(u, s->Om, C);
    if (f->W) {
        mb_gemv(u, f->G + 3 * at, 3, x->zd, n, 1);
        add_axial(Cc + 3, 2.0, U);
    }
    mat3_mul_vec(Cc, s->R, 3, u);
    scale3(Cc, 2.0, Cc);
    add_coriolis(Cc + 3, 2.0, Q, s->Om);
    add_cross3(Cc + 3, 1.0, s->Om, Hr);
    // K: R (A C_l + 2 Omega x g(z', l) + g(z'', l))
    mat3_mul_vec(u, T->A, 3, C);
    mb_gemv(X, f->P2 + 9 * at, 9, zdd, n, 0);
    add_axial(K + 3, -1.0, X); // sum psi_l x u''
    if (f->W) {
        double g[3];
        mb_gemv(g, f->G + 3 * at, 3, x->zd, n, 0);
        add_cross3(u, 2.0, s->Om, g);
        mb_gemv(u, f->G + 3 * at, 3, zdd, n, 1);
        mb_gemv(X, f->W + 9 * at, 9, zdd, n, 0);
        add_axial(K + 3, 1.0, X);
        add_coriolis(K + 3, 2.0, U, s->Om);
    }
    mat3_mul_vec(K, s->R, 3, u);
    // C_l x b + axial((Q_l + Q_l^T) A^T) + 2 sum psi_l x (Omega x u')
    add_cross3(K + 3, 1.0, C, T->b);
    transpose3(S, Q);
    add9(S, 1.0, Q);
    transpose3(At, T->A);
    mat3_mul(SA, 3, S, 3, At, 3);
    add_axial(K + 3, 1.0, SA);
    transpose3(X, Y);
    add_coriolis(K + 3, 2.0, X, s->Om);
}

/* Row of mode k: derivatives of (FX.8). The mass matrix is symmetric. */
static void mode_row(const mb_flex_block *out, const mb_flex *f, const mb_flex_state *x, const mb_state *s,
                     const terms *T, const double At[9], int k)
{
    const int n = f->n, ld = out->ld;
    const double *Q = x->Q + 9 * (size_t)k, *C = x->C + 3 * (size_t)k;
    double y[3] = {0.0, 0.0, 0.0}, u[3];
    // with Omega: (Q + Q^T) Omega - 2 tr(Q) Omega + 2 sum u' x psi_k; with theta: C_k x b
    add_coriolis(y, -1.0, Q, s->Om);
    mat3_mul_vec(u, Q, 3, s->Om);
    add3(y, y, u);
    axpy3(y, -trace(Q), s->Om);
    add_axial(y, 2.0, x->Y + 9 * (size_t)k);
    cross3(u, C, T->b);
    for (int j = 0; j < 3; ++j) {
        out->C[6 + k + (3 + j) * ld] = y[j];
        out->K[6 + k + (3 + j) * ld] = u[j];
    }
    for (int j = 0; j < 6; ++j) {
        out->M[6 + k + j * ld] = out->M[j + (6 + k) * ld];
    }
    // modes: M; 2 Omega.(psi_l x psi_k); K + tr(A (P2 + W)_lk) + g_lk.b
    for (int l = 0; l < n; ++l) {
        const size_t at = (size_t)l + (size_t)n * (size_t)k;
        const int to = 6 + k + (6 + l) * ld;
        double w[3] = {0.0, 0.0, 0.0};
        add_axial(w, 2.0, f->P2 + 9 * at);
        out->M[to] = f->M[at];
        out->C[to] = dot3(s->Om, w) + (k == l ? f->D[k] : 0.0);
        out->K[to] = f->K[at] + inner9(At, f->P2 + 9 * at);
        if (f->W) {
            out->K[to] += inner9(At, f->W + 9 * at) + dot3(f->G + 3 * at, T->b);
        }
    }
}

/* All of M, C and K, written: the frame with itself here, then columns and rows of the modes. */
static void deformation_tangent(const mb_flex_block *out, const mb_body *b, const mb_state *s, const double gravity[3],
                                const dal_point *at)
{
    const mb_flex *f = b->flex;
    const mb_flex_state *x = b->bent;
    const double *zdd = at->vd + b->v + 6;
    const size_t size = (size_t)(out->ld * out->ld) * sizeof(double);
    double At[9], X[9] = {0.0}, Y[9], u[3];
    terms T;
    memset(out->M, 0, size);
    memset(out->C, 0, size);
    memset(out->K, 0, size);
    terms_at(&T, f, x, s, gravity, zdd);
    transpose3(At, T.A);
    // frame with frame: -2 R p~, 2 (tr Qv I - Qv^T) - (Hr z')~; -R e~
    scale3(u, -2.0, x->p);
    mul_tilde(Y, 3, s->R, u);
    add_block(out->C, out->ld, 0, 3, Y);
    transpose3(X, x->Qv);
    for (int k = 0; k < 9; ++k) {
        X[k] *= -2.0;
    }
    add_unit(X, 2.0 * trace(x->Qv));
    add_tilde(X, -1.0, T.Hz);
    add_block(out->C, out->ld, 3, 3, X);
    scale3(u, -1.0, T.e);
    mul_tilde(Y, 3, s->R, u);
    add_block(out->K, out->ld, 0, 3, Y);
    for (int l = 0; l < f->n; ++l) {
        frame_columns(out, f, x, s, &T, zdd, l);
    }
    for (int k = 0; k < f->n; ++k) {
        mode_row(out, f, x, s, &T, At, k);
    }
}

/* What the deformation adds to the energy of the rigid body: x'.R p + Omega.L + z'.M z'/2. */
static double deformation_kinetic(const mb_body *b, const mb_state *s)
{
    const mb_flex *f = b->flex;
    const mb_flex_state *x = b->bent;
    double Rp[3];
    mat3_mul_vec(Rp, s->R, 3, x->p);
    double T = dot3(s->xd, Rp) + dot3(s->Om, x->L);
    for (int k = 0; k < f->n; ++k) {
        for (int l = 0; l < f->n; ++l) {
            T += 0.5 * x->zd[k] * f->M[l + f->n * k] * x->zd[l];
        }
    }
    return T;
}

/* z.K z/2 */
static double strain_energy(const mb_body *b)
{
    const mb_flex *f = b->flex;
    const mb_flex_state *x = b->bent;
    double V = 0.0;
    for (int k = 0; k < f->n; ++k) {
        for (int l = 0; l < f->n; ++l) {
            V += 0.5 * x->z[k] * f->K[l + f->n * k] * x->z[l];
        }
    }
    return V;
}

/* ---- as an element ---------------------------------------------------------------------------- */

static void flexible_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_body *b = self;
    mb_element_rigid.residual(self, m, out, at);
    deformation_residual(out->r + b->v, b, b->state, m->gravity, at);
}

/* The four diagonal blocks: rigid part, what acts on the frame, and everything with modes. */
static void flexible_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = self;
    const mb_scratch *w = &m->scratch;
    const mb_state *s = b->state;
    const int n = b->flex->n, nv = 6 + n;
    const mb_flex_block out = {w->M, w->C, w->K, nv};
    double M6[36];
    mb_inertia_mass(M6, b, s);
    if (b->M) {
        mb_body_mass(M6, b);
    }
    mb_inertia_tangent(b->C, b->K, b, s, m->gravity);
    if (n == 0) {
        sink->pair(sink, b->pair, M6, b->C, b->K);
        return;
    }
    deformation_tangent(&out, b, s, m->gravity, at);
    for (int k = 0; k < 36; ++k) {
        const int at6 = k % 6 + k / 6 * nv;
        w->M[at6] += M6[k];
        w->C[at6] += b->C[k];
        w->K[at6] += b->K[k];
    }
    mb_push_square(m, sink, b->number, w->M, w->C, w->K);
}

static void flexible_kinetic(double *T, const void *self, const mb_instance *m)
{
    const mb_body *b = self;
    mb_body_kinetic(T, b, m);
    *T += deformation_kinetic(b, b->state);
}

static void flexible_potential(double *V, const void *self, mb_instance *m, double t)
{
    mb_body_weight(V, self, m, t);
    *V += strain_energy(self);
}

static void flexible_sums(mb_sums *sum, const void *self, const mb_instance *m)
{
    const mb_body *b = self;
    (void)m;
    mb_body_sums(sum, b, b->bent->p, b->bent->L);
}

/* What the modal damping takes out. */
static void flexible_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    (void)m;
    const mb_body *b = self;
    const double *zd = at->v + b->v + 6;
    P[0] = P[1] = 0.0;
    for (int k = 0; k < b->flex->n; ++k) {
        P[0] += b->flex->D[k] * zd[k] * zd[k];
    }
}

const mb_element_type mb_element_flexible = {.residual = flexible_residual,
                                             .tangent = flexible_tangent,
                                             .kinetic = flexible_kinetic,
                                             .potential = flexible_potential,
                                             .exchange = flexible_exchange,
                                             .sums = flexible_sums};
