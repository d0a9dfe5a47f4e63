/* Contact groups: who may touch whom, and those who are close to each other (broad phase). */
#ifndef DAL_MBS_CROWD_IMPL_H
#define DAL_MBS_CROWD_IMPL_H

#include "dalembert/contacts.h"
#include "mbs/mbs_impl.h"
#include "mbs/touch_impl.h"

/* A shape of a body; `placed` in the axes of the body. */
typedef struct mb_member {
    int body;
    mb_placed placed;
    double reach; /* of a ball around its centre */
} mb_member;

/* A pair of materials, by flags of the bodies. */
typedef struct mb_material_pair {
    unsigned char *side; /* of each body: 1: it is of a, 2: of b */
    double e, mu;
} mb_material_pair;

typedef struct mb_crowd {
    const char *name;
    int *bodies, nbodies; /* as given; nbodies = -1: all */
    mb_member *member;    /* planes first */
    int nplanes, nmembers;
    int apart;
    int first_pair; /* pair (i, j) of members, i < j, is first_pair + i nmembers + j */
    double e, mu;
    mb_material_pair *pair;
    int npairs, nflags; /* bodies that had flags */
} mb_crowd;

typedef struct mb_crowd_work mb_crowd_work;

/* Members of all groups, and the callbacks; refuses shapes and pairs that cannot be. */
dal_status mb_crowds_compile(dal_model *m) DAL_NODISCARD;
void mb_crowds_release(dal_model *m);
void mb_crowd_work_destroy(mb_crowd_work *w, dal_ctx *ctx);
/* Name of a pair. */
void mb_crowd_name(char *buffer, size_t size, int pair, const dal_model *m);

#endif
