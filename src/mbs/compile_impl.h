/* What compiling and evaluation share. */
#ifndef DAL_MBS_COMPILE_IMPL_H
#define DAL_MBS_COMPILE_IMPL_H

#include "mbs/mbs_impl.h"

enum { MB_ROWS_MAX = 12 }; /* most rows of a block */

dal_status mb_residual(const dal_residual *out, const dal_point *given, const void *user, void *work);
dal_status mb_tangent(dal_sink *sink, const dal_point *given, const void *user, void *work);
/* dal_system.forget: what callbacks or the memory gave may be another value now. */
void mb_forget(const void *user, void *work);
/* attach.c: check that the bodies can take what is attached to them. */
dal_status mb_check_attachments(mb_instance *m) DAL_NODISCARD;
/* Log what looks wrong about a joint at the start. */
void mb_joint_warn(const mb_instance *m, int joint);
/* Look up states that are inputs by their names. */
/* Inputs of laws that are reactions: which multipliers they are; does a force depend on any? */
dal_status mb_find_reactions(const dal_model *m) DAL_NODISCARD;
int mb_reads_reactions(const mb_force *f);
dal_status mb_find_states(dal_model *m) DAL_NODISCARD;
/* Aq and Av of a block of rows; Aq6, Av6, Aa6: derivatives with respect to the motion of the frame of a body. */
void mb_push_link_acc(const mb_instance *m, dal_sink *sink, int body, int link, const double *Aq6, const double *Av6,
                      const double *Aa6, int nrows);
/* beam_slide.c: rows of what slides along beams. */
dal_status mb_slides_build(dal_model *m) DAL_NODISCARD;
/* structure.c: pairs and links of the compiled model. */
dal_status mb_create_structure(dal_model *m) DAL_NODISCARD;
/* scale.c: dal_system.units */
/* The length that is typical of a model; 1 where it has none. */
double mb_length(const mb_instance *m);
double mb_units(double *unit, const void *user, void *work);
/* scale.c: flags of the velocities that are given, of bodies with these descriptions. */
void mb_given(int *given, const dal_model *m, const mb_body *body, const dal_body *desc);
/* row_names.c: dal_system.row_name, .velocity_name */
void mb_row_name(char *buffer, size_t size, int row, const void *user);
void mb_velocity_name(char *buffer, size_t size, int index, const void *user);
/* dal_system.culprit */
int mb_culprit(char *buffer, size_t size, const dal_point *at, const void *user, void *work);
double mb_energy(const dal_point *at, const void *user, void *work);
dal_status mb_energies(double E[2], const dal_point *at, const void *user, void *work);
/* work.c: dal_system.exchange */
dal_status mb_exchange(double P[2], const dal_point *at, const void *user, void *work);
/* memory.c: places in the memory. */
void mb_memory_layout(dal_model *m);
/* Where a delay begins to show the run itself. */
double mb_delay_break(const mb_force *f, const mb_instance *m, double t);
double mb_next_break(double t, const void *user, void *work);
double mb_next_kink(double t, int go_on, const void *user, void *work);
double mb_next_jump(double t, int go_on, const void *user, void *work);

/* Is there a body whose coordinates can be singular? Then this is `coordinates` of the system. */
int mb_has_singular_coordinates(const dal_model *m);
double mb_coordinates(char *buffer, size_t size, const double *q, const void *user);

/* r += S^T r6 of a body in other coordinates */
static inline void mb_collect_body(double *r, const mb_body *b)
{
    const double *S = b->lift->S, *r6 = b->own6;
    double *to = r + b->v;
    if (b->type->map == MB_MAP_FULL) {
        for (int j = 0; j < b->nv; ++j) {
            for (int i = 0; i < 6; ++i) {
                to[j] += S[i + 6 * j] * r6[i];
            }
        }
        return;
    }
    const int turned = b->type->map == MB_MAP_TRANSLATION ? 0 : 3, same = 3 - turned;
    for (int j = 0; j < 3; ++j) {
        to[turned + j] += dot3(S + turned + (turned + j) * 6, r6 + turned);
        to[same + j] += r6[same + j];
    }
}

#endif
