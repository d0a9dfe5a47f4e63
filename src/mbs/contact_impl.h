/* Contacts, shared by joint_contact.c (what they are), contact.c (how they act) and those who list them. */
#ifndef DAL_MBS_CONTACT_IMPL_H
#define DAL_MBS_CONTACT_IMPL_H

#include "mbs/mbs_impl.h"

/* joint_types.c */
/* A block of npoint rows between the frames of a joint, and scalar rows for it. */
mb_constraint mb_block_of(const dal_model *m, int joint, int npoint);
void mb_block_row(mb_constraint *c, mb_row row);
/* The coordinate of a joint along one, maybe of another joint; `what` goes into the message. */
dal_status mb_check_coordinate(const mb_scope *s, mb_joint *j, const dal_joint *d, const char *what) DAL_NODISCARD;

/* joint_contact.c: joints that are contacts */
enum {
    MB_NCONTACT_KEYS = 7,
    MB_NSPHERE_CONTACT_KEYS = 6,
    MB_NROPE_KEYS = 2,
    MB_NLIMIT_KEYS = 3,
    MB_NCLUTCH_KEYS = 1,
    MB_NBRAKE_KEYS = 2
};
extern const dal_key mb_contact_keys[MB_NCONTACT_KEYS], mb_sphere_contact_keys[MB_NSPHERE_CONTACT_KEYS],
    mb_rope_keys[MB_NROPE_KEYS], mb_limit_keys[MB_NLIMIT_KEYS], mb_clutch_keys[MB_NCLUTCH_KEYS],
    mb_brake_keys[MB_NBRAKE_KEYS];
dal_status mb_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_sphere_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_rope_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_limit_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_clutch_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_brake_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_contact_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_sphere_contact_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_rope_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_limit_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_clutch_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_brake_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_contact_numbers(mb_instance *m, int joint) DAL_NODISCARD;
dal_status mb_sphere_contact_numbers(mb_instance *m, int joint) DAL_NODISCARD;
dal_status mb_rope_numbers(mb_instance *m, int joint) DAL_NODISCARD;
dal_status mb_limit_numbers(mb_instance *m, int joint) DAL_NODISCARD;

int mb_contact_row_count(const dal_model *m, int joint);

/* contact.c: contacts as elements */
/* Do these rows of a contact hold, as its mode says? */
int mb_contact_holds(const mb_constraint *c, const mb_instance *m);
/* The multipliers of a block of rows, of a contact that slides its friction, which goes to room. */
const double *mb_contact_forces(double room[MB_ROWS], const mb_constraint *c, mb_instance *m, const dal_point *at);
/* A state is final: gaps and their rates to the memory. */
void mb_contacts_remember(mb_instance *m, const dal_point *at);
/* The list of contacts of a compiled model. */
dal_status mb_contacts_compile(dal_model *m) DAL_NODISCARD;
/* joint.c: d(B^T lambda)/dq of scalar rows with the Hessian H and forces `sum`. */
void mb_push_stiffness(const mb_constraint *c, mb_instance *m, dal_sink *sink, const mb_pairing *P, const mb_hessian *H,
                       const double sum[12]);

#endif
