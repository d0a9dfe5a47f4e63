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
    MB_NCONTACT_KEYS = 14,
    MB_NSPHERE_CONTACT_KEYS = 6,
    MB_NROPE_KEYS = 2,
    MB_NLIMIT_KEYS = 3,
    MB_NCLUTCH_KEYS = 1,
    MB_NRATCHET_KEYS = 3,
    MB_NBRAKE_KEYS = 5
};
extern const dal_key mb_contact_keys[MB_NCONTACT_KEYS], mb_sphere_contact_keys[MB_NSPHERE_CONTACT_KEYS],
    mb_rope_keys[MB_NROPE_KEYS], mb_limit_keys[MB_NLIMIT_KEYS], mb_clutch_keys[MB_NCLUTCH_KEYS],
    mb_ratchet_keys[MB_NRATCHET_KEYS], mb_brake_keys[MB_NBRAKE_KEYS];
dal_status mb_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_sphere_contact_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_limit_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_clutch_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_ratchet_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_brake_check(const mb_scope *s, mb_joint *j, const dal_joint *d) DAL_NODISCARD;
dal_status mb_contact_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_sphere_contact_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_rope_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_limit_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_clutch_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_ratchet_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_brake_build(dal_model *m, int joint) DAL_NODISCARD;
dal_status mb_contact_numbers(mb_instance *m, int joint) DAL_NODISCARD;
dal_status mb_rope_numbers(mb_instance *m, int joint) DAL_NODISCARD;
dal_status mb_limit_numbers(mb_instance *m, int joint) DAL_NODISCARD;

struct mb_meeting;
/* The shapes of a joint whose features change; 0: they do not. */
int mb_joint_meeting(struct mb_meeting *X, const dal_model *m, const mb_joint *j);

/* Contacts of a joint that is unilateral, and its rows. */
int mb_contact_count(const dal_model *m, int joint);
int mb_contact_row_count(const dal_model *m, int joint);

/* contact.c: contacts as elements */
/* Features of the shapes of a joint into its rows, at the state of the bodies. */
void mb_contact_features(mb_instance *m, int joint);
/* Before a closed contact is evaluated: snapshots may have brought other features. */
void mb_contact_recall(const mb_constraint *c, mb_instance *m);
double *mb_contact_memory(const mb_constraint *c, const mb_instance *m); /* NULL: there is none */
dal_contact_mode mb_contact_mode(const mb_constraint *c, const mb_instance *m);
/* A contact that is switched off is far away. */
int mb_contact_off(const mb_constraint *c, const mb_instance *m, double t);
/* Do these rows of a contact hold, as its mode says? */
int mb_contact_holds(const mb_constraint *c, const mb_instance *m);
void mb_contact_no_rows(const mb_constraint *c, const dal_residual *out);
void mb_contact_acceleration(const void *self, mb_instance *m, dal_sink *sink, const dal_point *at);
/* contact_friction.c */
/* The reaction of the joint that a brake follows, smoothed at zero; 0: none. */
double mb_contact_reaction(const mb_constraint *c, const mb_instance *m, const double *la);
/* The multipliers of a block of rows, of a contact that slides its friction, which goes to room. */
const double *mb_contact_forces(double room[MB_ROWS], const mb_constraint *c, mb_instance *m, const dal_point *at);
/* What there is to know of contact k of a joint, the bodies' states being known. */
typedef struct mb_contact_view {
    dal_contact_mode mode;
    double gap, p_n, p_t, slip; /* the sizes of friction and of the sliding velocity */
    double impulse;             /* normal impulses of all impacts so far */
} mb_contact_view;
void mb_contact_look(mb_contact_view *view, mb_instance *m, int joint, int k, const dal_point *at);
/* A place where something presses, with the force on B, to a list (contact_places.c). */
void mb_place_contact(void *list, const double x[3], const double force[3]);
/* Where two features touch. */
void mb_touched_at(double x[3], const mb_row *row, const mb_pairing *P);
/* Is it a compliant contact? Its places (force_contact.c). */
int mb_force_presses(const mb_force *f);
void mb_force_contact_places(void *list, const mb_force *f, const mb_instance *m, double t);
/* A state is final: gaps and their rates to the memory. */
void mb_contacts_remember(mb_instance *m, const dal_point *at);
/* The list of contacts of a compiled model. */
dal_status mb_contacts_compile(dal_model *m) DAL_NODISCARD;
/* joint.c: d(B^T lambda)/dq of scalar rows with the Hessian H and forces `sum`. */
void mb_push_stiffness(const mb_constraint *c, mb_instance *m, dal_sink *sink, const mb_pairing *P, const mb_hessian *H,
                       const double sum[12]);

#endif
