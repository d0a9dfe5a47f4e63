/* The first part of a start in models with contacts: with all of them open, positions and velocities go to where the joints hold.
 * Contacts that touch there are found, and the second part holds their rows, too, so that what sticks no longer slides along. In models
 * with histories these begin between both parts. */
#include "base/vector.h"
#include "gradient/gradient_impl.h"

typedef struct gr_joints {
    dal_reduction *rows;
    dal_eval *ev;
    dal_saddle *saddle;
    dal_variation start;
    double *Y; /* changes, or weights, with the rows of joints: ny x columns */
} gr_joints;

void dal_gr_joints_drop(dal_gradient *g)
{
    gr_joints *j = g->joints;
    if (j) {
        dal_variation_release(&j->start);
        dal_saddle_destroy(j->saddle);
        dal_eval_destroy(j->ev);
        dal_reduction_destroy(j->rows);
        dal_free(g->ctx, j->Y);
        dal_free(g->ctx, j);
        g->joints = NULL;
    }
}

/* As a start finds the system: all contacts are open. */
static void open_contacts(const dal_gradient *g)
{
    dal_data_reset(dal_sim_data(g->sim));
    dal_gr_stretch(g, 0);
}

static void close_contacts(const dal_gradient *g)
{
    dal_gr_remember(g, 0);
    dal_gr_stretch(g, 0);
}

static dal_status find_rows(dal_gradient *g, gr_joints *j)
{
    double *q = dal_alloc(g->ctx, (size_t)g->sys->group->nq * sizeof *q);
    if (!q) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the joints of a start");
    }
    dal_copy(q, g->q0, g->sys->group->nq);
    const dal_status st = dal_sim_find_rows(g->sim, &j->rows, q, dal_gr_time(g, 0));
    dal_free(g->ctx, q);
    return st;
}

static dal_status close_joints(dal_gradient *g, gr_joints *j)
{
    DAL_TRY(find_rows(g, j));
    DAL_TRY(dal_eval_create(&j->ev, g->ctx, dal_reduction_system(j->rows), dal_sim_data(g->sim)));
    DAL_TRY(dal_saddle_create(&j->saddle, g->ctx, j->ev, DAL_LINSOL_AUTO));
    DAL_TRY(dal_variation_init(&j->start, g->ctx, j->saddle, g->dependence, g->columns));
    j->Y = dal_alloc(g->ctx, (size_t)j->start.ny * (size_t)g->columns * sizeof *j->Y);
    if (!j->Y) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the changes of a start");
    }
    const dal_start_plan plan = {.t = dal_gr_time(g, 0), .h = g->opt.h, .position = 1, .velocity = 1};
    return dal_variation_at(&j->start, &plan, g->q0, g->v0);
}

dal_status dal_gr_joints_at(dal_gradient *g, const double **q, const double **v)
{
    if (g->sys->contacts.n == 0 && g->nremembered == 0) {
        return DAL_OK;
    }
    dal_gr_joints_drop(g);
    g->joints = dal_alloc_zero(g->ctx, sizeof *g->joints);
    if (!g->joints) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the joints of a start");
    }
    open_contacts(g);
    const dal_status st = close_joints(g, g->joints);
    close_contacts(g);
    DAL_TRY(st);
    *q = dal_variation_q(&g->joints->start);
    *v = g->joints->start.v;
    return DAL_OK;
}

/* Positions and velocities of all columns, from one list to another. */
static void move(double *to, int to_size, const double *from, int from_size, int n, int count)
{
    for (int k = 0; k < count; ++k) {
        dal_copy(to + k * to_size, from + k * from_size, n);
    }
}

/* The changes, or weights, with the rows of joints. */
static void enter(const dal_gradient *g, const double *Y, int count)
{
    gr_joints *j = g->joints;
    dal_zero(j->Y, j->start.ny * count);
    move(j->Y, j->start.ny, Y, g->ny, 2 * g->nv, count);
    open_contacts(g);
}

static void leave(const dal_gradient *g, double *Y, int count)
{
    const gr_joints *j = g->joints;
    close_contacts(g);
    move(Y, g->ny, j->Y, j->start.ny, 2 * g->nv, count);
}

dal_status dal_gr_joints_forward(dal_gradient *g, double *Y, const double *dp, int count)
{
    if (!g->joints) {
        return DAL_OK;
    }
    enter(g, Y, count);
    const dal_status st = dal_variation_forward(&g->joints->start, g->joints->Y, dp, count);
    leave(g, Y, count);
    return st;
}

dal_status dal_gr_joints_adjoint(dal_gradient *g, double *Y, double *pbar, int count)
{
    if (!g->joints) {
        return DAL_OK;
    }
    enter(g, Y, count);
    const dal_status st = dal_variation_adjoint(&g->joints->start, g->joints->Y, pbar, count);
    leave(g, Y, count);
    return st;
}
