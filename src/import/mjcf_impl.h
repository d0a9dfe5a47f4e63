/* Reading MJCF: attributes with their default classes, settings of the compiler. */
#ifndef DAL_IMPORT_MJCF_IMPL_H
#define DAL_IMPORT_MJCF_IMPL_H

#include "import/import_impl.h"

typedef struct mj_reader {
    im_reader *R;
    const im_element *root;
    double angle; /* rad for one unit of angle */
    char sequence[4];
    int autolimits;
    int from_geoms; /* inertia: 0 never, 1 always, 2 where there is none */
    double groups[2];
    const char *meshdir;
    double least_mass, least_inertia, total_mass;
    int balanced;      /* principal moments that no body has become their mean */
    double *reference; /* of each joint that moves along one coordinate */
    int nreferences, reference_room;
} mj_reader;

/* The attribute of an element, or that of its default class and the classes above; NULL: none of them has it. */
const char *im_mj_get(const mj_reader *M, const im_element *at, const char *name);
double im_mj_number(const mj_reader *M, const im_element *at, const char *name, double otherwise);
int im_mj_vector(const mj_reader *M, const im_element *at, const char *name, double *x, int least, int most);
int im_mj_flag(const mj_reader *M, const im_element *at, const char *name,
               int otherwise); /* true, false; auto: otherwise */
/* Place and orientation of an element (pos, quat, axisangle, euler, xyaxes, zaxis). */
im_pose im_mj_pose(const mj_reader *M, const im_element *at);
/* What follows an element in the order of the file, within `top`; NULL at the end. */
const im_element *im_mj_next(const im_element *at, const im_element *top);
const im_element *im_mj_named(const mj_reader *M, const char *section, const char *tag, const char *name);
/* Put what <include> names in its place. */
void im_mj_include(im_reader *R, im_element *root);
/* Tell elements and attributes that are not read. */
void im_mj_check(const mj_reader *M);

/* A geom of a link: what it looks like, and what it weighs if it is to. */
void im_mj_geom(const mj_reader *M, im_link *link, const im_element *at, const im_pose *in_link, dal_shape_mass *sum);
void im_mj_equality(mj_reader *M);
void im_mj_tendons(mj_reader *M);
void im_mj_actuators(mj_reader *M);
void im_mj_keyframe(mj_reader *M);

#endif
