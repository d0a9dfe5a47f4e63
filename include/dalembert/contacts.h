/* dalembert/contacts.h - contact groups: bodies that may touch each other, and planes (docs/user/contact.md).
 *
 * Which pairs touch is found anew in each step; such contacts have no rows in the structure of the system, and there may be
 * thousands of them. Forces are found as impulses at the ends of steps (impacts = captured, docs/theory/contact.md, CT.30). */
#ifndef DALEMBERT_CONTACTS_H
#define DALEMBERT_CONTACTS_H

#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pair of materials: what holds where one of the bodies a touches one of b; DAL_GROUND among them stands for planes and shapes of
 * the ground. */
typedef struct dal_contact_pair {
    const int *a, *b; /* na, nb bodies */
    int na, nb;
    double restitution, mu;
} dal_contact_pair;

typedef struct dal_contact_group {
    const char *name;
    const int *bodies; /* nbodies, DAL_GROUND among them for the shapes of the ground; NULL: all that have shapes */
    int nbodies;
    const dal_frame *planes; /* nplanes, fixed to the ground: bodies stay where z is positive */
    int nplanes;
    int apart; /* bodies touch the planes and the ground, not each other */
    double restitution, mu;
    const dal_contact_pair *pairs; /* npairs, instead of these two; of several that fit the last counts */
    int npairs;
} dal_contact_group;

/* Bodies touch by their shapes (dal_model_add_shape): spheres, capsules, boxes; cylinders touch planes, spheres and capsules. Pairs that are not there are
 * refused by name when the model is compiled. Bodies that a joint connects do not touch each other. Copied. */
DAL_API dal_status dal_model_add_contacts_(dal_model *model, const dal_contact_group *group, size_t size) DAL_NODISCARD;
DAL_API int dal_model_contacts_count(const dal_model *model);

/* Where contacts of any kind touch at a point of a run, and the force there on the second of the two bodies; world axes. */
typedef struct dal_contact_place {
    double x[3], force[3];
} dal_contact_place;

/* The first `room` of those that press; data: of the simulation. *n: how many were written. Those of groups are as the last step left them. */
DAL_API dal_status dal_model_contact_places(const dal_model *model, dal_data *data, dal_contact_place *places, int *n,
                                            int room, const dal_point *at) DAL_NODISCARD;
DAL_API int dal_model_contact_places_most(const dal_model *model); /* there can be; the model is compiled */

#ifdef __cplusplus
}
#endif
#endif
