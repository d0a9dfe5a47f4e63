/* Motion of the frames of a flexible body: its own frame moves like a rigid body, an interface node with the modes as well
 * (flex_node_kernel.h). */
#include "mbs/flex_impl.h"

static void flexible_initial(double *q, double *v, const mb_body *b, const dal_body *d)
{
    const size_t n = (size_t)b->flex->n * sizeof(double);
    mb_body_r3so3.initial(q, v, b, d);
    memcpy(q + 7, b->bent->z0, n);
    memcpy(v + 6, b->bent->zd0, n);
}

static void flexible_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    mb_body_r3so3.state(s, b, q, v, vd);
}

static void flexible_update(mb_body *b, const double *q, const double *v)
{
    mb_flex_update(b, q + 7, v + 6);
}

const mb_body_type mb_body_flexible = {
    .name = "flexible",
    .chart = MB_CHART_R3SO3,
    .about = {.text = "A flexible body: a frame and modal coordinates. Its interface nodes are bodies for joints, "
                      "forces and outputs: "
                      "those of a beam `rod` are `rod/A` (at x = 0), `rod/B` (at its other end) and its stations.",
              .keys = mb_flexible_keys,
              .nkeys = MB_NFLEXIBLE_KEYS,
              .one_of = "beam|modes|modes_file|flexible"},
    .element = &mb_element_flexible,
    .update = flexible_update,
    .kind = DAL_FACTOR_R3SO3,
    .nq = 7,
    .nv = 6,
    .identity = 1,
    .constant = 1,
    .rotates = 1,
    .velocity = {"x", "y", "z", "Om_x", "Om_y", "Om_z"},
    .initial = flexible_initial,
    .state = flexible_state,
    .quaternion = mb_quaternion_in_q};

/* ---- interface nodes -------------------------------------------------------------------------- */

static void local_at(flex_local *x, const mb_body *b, const double *q, const double *v, const double *vd)
{
    const flex_node node = mb_flex_node(b->flex, b->node);
    flex_local_at(x, &node, b->bent->turned, q, v, vd);
}

static void node_state(mb_state *s, const mb_body *b, const double *q, const double *v, const double *vd)
{
    flex_local x;
    local_at(&x, b, q, v, vd);
    flex_node_state(s, &x, q, v, vd);
}

static void node_lift(mb_lift *L, const mb_body *b, const double *q, const double *v, const double *vd, int all)
{
    flex_local x;
    local_at(&x, b, q, v, vd);
    flex_node_map(L->S, &x, b->flex->n);
    if (all) {
        mb_lift_clear(L, b->nv);
        flex_node_rates(L->V, L->Aq, L->Av, &x, b->flex->n, v + 3, vd + 3);
    }
}

static void node_curvature(double *N, const mb_body *b, const double *q, const double f[6])
{
    const flex_node node = mb_flex_node(b->flex, b->node);
    flex_node_curvature(N, &node, b->bent->turned, q, f);
}

const mb_body_type mb_body_node = {.name = "node",
                                   .chart = MB_CHART_NODE,
                                   .element = &mb_element_node,
                                   .kind = DAL_FACTOR_R3SO3,
                                   .nq = 7,
                                   .nv = 6,
                                   .rotates = 1,
                                   .velocity = {"x", "y", "z", "Om_x", "Om_y", "Om_z"},
                                   .state = node_state,
                                   .lift = node_lift,
                                   .curvature = node_curvature,
                                   .quaternion = mb_quaternion_in_q};
