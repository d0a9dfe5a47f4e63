/* What joints exert on their body B, and the same as an input of laws, states and delays: the force and the torque at the origin of
 * frame B, world axes, follow from the multipliers and the gradients of the rows,
 *     (f, tau) = -sum_r lambda_r (u_r, w_r),                                                             (MB.23)
 * so an input has derivatives by the multipliers of the same instant, -(u_r, w_r), and, where rows turn with their frames, by places. */
#include "base/vector.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/output_impl.h"

/* ---- force and torque ------------------------------------------------------------------------- */

void mb_joint_wrench(double f[6], const mb_joint *j, int side, mb_instance *m, const dal_point *at)
{
    if (j->type->wrench) {
        j->type->wrench(f, &m->constraint[j->first], m, at, side);
        return;
    }
    memset(f, 0, 6 * sizeof(double));
    for (int k = j->first; k < j->first + j->count; ++k) {
        const mb_constraint *c = &m->constraint[k];
        double g[12], room[MB_ROWS];
        const double *la = mb_contact_forces(room, c, m, at);
        mb_pairing P;
        mb_pairing_at(&P, m->state, c->marker, 0, MB_AXES_A | MB_AXES_B);
        for (int i = 0; i < c->npoint; ++i) {
            f[i] -= la[i];
        }
        for (int i = 0; i < c->nscalar; ++i) {
            c->row[i].type->gradient(g, &c->row[i], &P);
            axpy3(f, -la[c->npoint + i], g + 6);
            axpy3(f + 3, -la[c->npoint + i], g + 9);
        }
    }
}

/* ---- as an input ------------------------------------------------------------------------------ */

double mb_reaction(const mb_input *in, mb_instance *m, const dal_point *at)
{
    const mb_joint *j = &m->joint[in->reaction];
    double f[6];
    if (!at->la) {
        return 0.0;
    }
    if (in->component < 0) {
        return -at->la[m->constraint[j->first].row0];
    }
    mb_joint_wrench(f, j, 1, m, at);
    return f[in->component];
}

const mb_constraint *mb_reaction_block(double w[MB_ROWS], const mb_input *in, int block, const mb_instance *m)
{
    const mb_constraint *c = &m->constraint[m->joint[in->reaction].first + block];
    double g[12];
    mb_pairing P;
    dal_zero(w, MB_ROWS);
    if (in->component < 0) {
        w[0] = -1.0;
        return c;
    }
    if (in->component < c->npoint) {
        w[in->component] = -1.0;
    }
    mb_pairing_at(&P, m->state, c->marker, 0, c->axes);
    for (int k = 0; k < c->nscalar; ++k) {
        c->row[k].type->gradient(g, &c->row[k], &P);
        w[c->npoint + k] = -g[6 + in->component];
    }
    return c;
}

void mb_reaction_gradient(double g6[2][6], const mb_input *in, const mb_instance *m, const dal_point *at)
{
    const mb_joint *j = &m->joint[in->reaction];
    dal_zero(g6[0], 12);
    for (int n = 0; n < in->nblocks && at->la && in->component >= 0; ++n) {
        const mb_constraint *c = &m->constraint[j->first + n];
        mb_hessian H = {0};
        mb_pairing P;
        mb_pairing_at(&P, m->state, c->marker, 0, c->axes);
        for (int k = 0; k < c->nscalar; ++k) {
            c->row[k].type->hessian(&H, -at->la[c->row0 + c->npoint + k], &c->row[k], &P);
        }
        for (int i = 0; i < 2; ++i) {
            double g[6], own[6];
            for (int e = 0; e < 6; ++e) { // one line of the blocks of B
                g[e] = H.H[1][in->component / 3][i][e / 3][in->component % 3 + 3 * (e % 3)];
            }
            mb_gradient_to_body(own, &P.side[i], g);
            for (int e = 0; e < 6; ++e) {
                g6[i][e] += own[e];
            }
        }
    }
}

int mb_reads_reactions(const mb_force *f)
{
    int some = f->type->lambda;
    for (int k = 0; f->input && k < f->d.ninputs; ++k) {
        some |= f->input[k].reaction >= 0;
    }
    return some;
}

/* ---- compiling -------------------------------------------------------------------------------- */

/* Has the row a share in this component? Force rows act at the origin of frame B, so only those that see B turn have torques there. */
static int has_share(const mb_row_type *row, int component)
{
    return component < 3 ? !row->rotational : row->rotational || ((row->axes | row->turns) & MB_AXES_B);
}

/* Which blocks it is read from; whether rows with a share turn with the bodies, whose numbers are then in the markers. */
static int find_blocks(const dal_model *m, mb_input *in)
{
    const mb_joint *j = &m->joint[in->reaction];
    int some = 0;
    for (in->nblocks = 0; in->nblocks < j->count; ++in->nblocks) {
        const mb_constraint *c = &m->constraint[j->first + in->nblocks];
        some |= in->component < c->npoint;
        for (int k = 0; k < c->nscalar; ++k) {
            if (has_share(c->row[k].type, in->component)) {
                some = 1;
                in->marker[0].body = c->marker[0].body;
                in->marker[1].body = c->marker[1].body;
            }
        }
    }
    return some;
}

static dal_status find_reaction(const dal_model *m, const mb_force *f, mb_input *in)
{
    const mb_joint *j = &m->joint[in->reaction];
    const char *force = m->force_names.name[f - m->force], *joint = m->joint_names.name[in->reaction];
    if (j->type->unilateral) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "force '%s': what joint '%s' of type %s exerts cannot be an input: it is decided, step by "
                        "step, from the forces. It can be sampled by an event with the key 'every'",
                        force, joint, j->type->name);
    }
    if (in->component < 0) {
        in->nblocks = 1;
        return j->count == 1 && m->constraint[j->first].nrows == 1
                   ? DAL_OK
                   : dal_fail(m->ctx, DAL_EINVAL,
                              "force '%s': joint '%s' of type %s has several rows, and a force_value is what the only "
                              "row of a joint exerts (motion, distance, gear); take a component of its force or torque",
                              force, joint, j->type->name);
    }
    if (j->type->free_bodies) {
        return dal_fail(m->ctx, DAL_EINVAL,
                        "force '%s': joint '%s' of type %s has no frames at which its force or torque could be an "
                        "input; that is the force_value of a gear. Others can be sampled by an event with the key "
                        "'every'",
                        force, joint, j->type->name);
    }
    return find_blocks(m, in)
               ? DAL_OK
               : dal_fail(
                     m->ctx, DAL_EINVAL,
                     "force '%s': the input is always zero, since joint '%s' of type %s exerts no %s %c; remove it",
                     force, joint, j->type->name, in->component < 3 ? "force along" : "torque about",
                     'x' + in->component % 3);
}

dal_status mb_find_reactions(const dal_model *m)
{
    for (int n = 0; n < m->force_names.n; ++n) {
        const mb_force *f = &m->force[n];
        for (int k = 0; f->input && k < f->d.ninputs; ++k) {
            DAL_TRY(f->input[k].reaction >= 0 ? find_reaction(m, f, &f->input[k]) : DAL_OK);
        }
    }
    return DAL_OK;
}
