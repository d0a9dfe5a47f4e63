/* Flexible bodies as elements: what flex_kernel.h computes, beside the inertia of a rigid body. */
#include "mbs/flex_impl.h"

void mb_flex_state_carve(mb_flex_state *bent, dal_arena *arena, int n)
{
    mb_flex_state x = {0};
    double **of_modes[] = {&x.z0, &x.zd0, &x.z, &x.zd, &x.turned};
    static const int size[] = {1, 1, 1, 1, FLEX_NODE_ROOM};
    for (size_t k = 0; k < sizeof size / sizeof size[0]; ++k) {
        *of_modes[k] = dal_arena_reals(arena, size[k] * n);
    }
    double *room = dal_arena_reals(arena, FLEX_ROOM * n);
    if (bent) {
        flex_open(&x.now, room, n, x.z, x.zd);
        *bent = x;
    }
}

void mb_flex_update(mb_body *b, const double *z, const double *zd)
{
    const mb_flex *f = b->flex;
    mb_flex_state *x = b->bent;
    const size_t size = (size_t)f->n * sizeof(double);
    memcpy(x->z, z, size);
    memcpy(x->zd, zd, size);
    flex_update(&x->now, &f->sums);
    flex_inertia(b->mc, b->J, &f->sums, &x->now);
    b->centred = 0;
}

static void flexible_residual(const void *self, mb_instance *m, const dal_residual *out, const dal_point *at)
{
    const mb_body *b = self;
    mb_element_rigid.residual(self, m, out, at);
    flex_residual(out->r + b->v, &b->flex->sums, &b->bent->now, b->state, m->gravity, at->vd + b->v + 6);
}

/* The four diagonal blocks: rigid part, what acts on the frame, and everything with modes. */
static void flexible_tangent(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at)
{
    const mb_body *b = self;
    const mb_scratch *w = &m->scratch;
    const mb_state *s = b->state;
    const int n = b->flex->n, nv = 6 + n;
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
    flex_tangent(w->M, w->C, w->K, &b->flex->sums, &b->bent->now, s, m->gravity, at->vd + b->v + 6);
    flex_add_frame(w->M, nv, M6);
    flex_add_frame(w->C, nv, b->C);
    flex_add_frame(w->K, nv, b->K);
    mb_push_square(m, sink, b->number, w->M, w->C, w->K);
}

static void flexible_kinetic(double *T, const void *self, const mb_instance *m)
{
    const mb_body *b = self;
    mb_body_kinetic(T, b, m);
    *T += flex_kinetic(&b->flex->sums, &b->bent->now, b->state);
}

static void flexible_potential(double *V, const void *self, mb_instance *m, double t)
{
    const mb_body *b = self;
    mb_body_weight(V, b, m, t);
    *V += flex_strain(&b->flex->sums, &b->bent->now);
}

static void flexible_sums(mb_sums *sum, const void *self, const mb_instance *m)
{
    const mb_body *b = self;
    (void)m;
    mb_body_sums(sum, b, b->bent->now.p, b->bent->now.L);
}

/* What the modal damping takes out. */
static void flexible_exchange(double P[2], const void *self, mb_instance *m, const dal_point *at)
{
    (void)m;
    const mb_body *b = self;
    P[0] = flex_damping(&b->flex->sums, at->v + b->v + 6);
    P[1] = 0.0;
}

const mb_element_type mb_element_flexible = {.residual = flexible_residual,
                                             .tangent = flexible_tangent,
                                             .kinetic = flexible_kinetic,
                                             .potential = flexible_potential,
                                             .exchange = flexible_exchange,
                                             .sums = flexible_sums};
