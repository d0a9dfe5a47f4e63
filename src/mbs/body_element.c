/* Bodies as elements: inertia and weight, and the diagonal blocks of their frames. What others add to r6, C and K of a frame
 * goes through S, (MB.3), to the coordinates of its body: so bodies come first in the residual and last in the tangent. */
#include "mbs/compile_impl.h"
#include "mbs/inertia_kernel.h"

/* ---- inertia ---------------------------------------------------------------------------------- */

void mb_inertia_mass(double M[36], const mb_body *b, const mb_state *s)
{
    inertia_mass(M, b->m, b->mc, b->J, b->centred, s);
}

void mb_inertia_tangent(double *C, double *K, const mb_body *b, const mb_state *s, const double gravity[3])
{
    inertia_tangent(C, K, b->mc, b->J, b->centred, s, gravity);
}

void mb_body_mass(double M6[36], const mb_body *b)
{
    for (int k = 0; k < 36; ++k) {
        M6[k] += b->M[k];
    }
}

static void rigid_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)at;
    const mb_body *b = self;
    mb_body *open = &m->body[b->number];
    open->r6 = out->r + b->v;
    inertia_residual(open->r6, b->m, b->mc, b->J, b->centred, b->state, m->gravity);
}

static void lifted_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out, (void)at;
    const mb_body *b = self;
    mb_body *open = &m->body[b->number];
    memset(open->own6, 0, sizeof open->own6);
    open->r6 = open->own6;
    inertia_residual(open->r6, b->m, b->mc, b->J, b->centred, b->state, m->gravity);
}

static void rigid_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    (void)at;
    const mb_body *b = self;
    const unsigned wants = sink->wants;
    const double *M = b->M0;
    double M6[36];
    if (b->M || !b->centred) {
        mb_inertia_mass(M6, b, b->state);
        M = M6;
    }
    if (b->M) {
        mb_body_mass(M6, b);
    }
    mb_inertia_tangent(wants & DAL_WANT_C ? b->C : NULL, wants & DAL_WANT_K ? b->K : NULL, b, b->state, m->gravity);
    sink->pair(sink, b->pair, wants & DAL_WANT_M ? M : NULL, wants & DAL_WANT_C ? b->C : NULL,
               wants & DAL_WANT_K ? b->K : NULL);
}

static void lifted_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = self;
    double M6[36];
    if (b->type->body_axes && !b->M && !(sink->wants & (DAL_WANT_C | DAL_WANT_K))) {
        sink->pair(sink, b->pair, b->M0, NULL, NULL);
        return;
    }
    mb_inertia_mass(M6, b, b->state);
    if (b->M) {
        mb_body_mass(M6, b);
    }
    if (sink->wants & (DAL_WANT_C | DAL_WANT_K)) {
        mb_inertia_tangent(b->C, b->K, b, b->state, m->gravity);
    }
    mb_push_lifted(m, b->number, sink, M6, at->q + b->q);
}

/* ---- sums over all mass ----------------------------------------------------------------------- */

void mb_body_kinetic(double *T, const void *body, const mb_instance *m)
{
    (void)m;
    const mb_body *b = body;
    *T += b->centred ? inertia_kinetic_centred(b->m, b->J, b->state) : inertia_kinetic(b->m, b->mc, b->J, b->state);
}

void mb_body_weight(double *V, const void *body, mb_instance *m, double t)
{
    (void)t;
    const mb_body *b = body;
    if (b->centred) {
        double c[3];
        scale3(c, b->m, b->state->x);
        *V -= dot3(m->gravity, c);
        return;
    }
    *V += inertia_weight(b->m, b->mc, b->state, m->gravity);
}

/* p = m x' + R (Omega x mc + p_own), L = x x p + R (J Omega + mc x R^T x' + L_own) */
void mb_body_sums(mb_sums *sum, const mb_body *b, const double *p_own, const double *L_own)
{
    const mb_state *s = b->state;
    sum->mass += b->m;
    inertia_sums(sum->mc, sum->p, sum->L, b->m, b->mc, b->J, s);
    if (p_own) {
        inertia_own(sum->p, sum->L, p_own, L_own, s);
    }
}

static void rigid_sums(mb_sums *sum, const void *self, const mb_instance *m)
{
    (void)m;
    mb_body_sums(sum, self, NULL, NULL);
}

const mb_element_type mb_element_rigid = {.residual = rigid_residual,
                                          .tangent = rigid_tangent,
                                          .kinetic = mb_body_kinetic,
                                          .potential = mb_body_weight,
                                          .sums = rigid_sums};
const mb_element_type mb_element_lifted = {.residual = lifted_residual,
                                           .tangent = lifted_tangent,
                                           .kinetic = mb_body_kinetic,
                                           .potential = mb_body_weight,
                                           .sums = rigid_sums};

/* ---- interface nodes: frames without inertia of their own ------------------------------------------- */

static void node_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    (void)out, (void)at;
    mb_body *open = &m->body[((const mb_body *)self)->number];
    memset(open->own6, 0, sizeof open->own6);
    open->r6 = open->own6;
}

static void node_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = self;
    mb_push_lifted(m, b->number, sink, b->M, at->q + b->q);
}

const mb_element_type mb_element_node = {.residual = node_residual, .tangent = node_tangent};
