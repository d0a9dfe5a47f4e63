/* Keys of element types, and the lists of types by section. */
#ifndef DAL_MBS_KEYS_H
#define DAL_MBS_KEYS_H

#include <stddef.h>

#include "dalembert/elements.h"

/* A key whose value goes to a field of a description, or nowhere; then what differs from zero in dal_key. */
#define MB_KEY(kind_, name_, type_, field_, unit_, text_, ...)                                                         \
    {                                                                                                                  \
        .name = (name_), .kind = DAL_KEY_##kind_, .unit = (unit_), .text = (text_), .offset = offsetof(type_, field_), \
        __VA_ARGS__                                                                                                    \
    }
#define MB_KEY_READ(kind_, name_, unit_, text_, ...)                                                           \
    {                                                                                                          \
        .name = (name_), .kind = DAL_KEY_##kind_, .unit = (unit_), .text = (text_), .offset = DAL_KEY_NOWHERE, \
        __VA_ARGS__                                                                                            \
    }
#define MB_OPTIONAL .required = 0
#define MB_REQUIRED .required = 1
#define MB_POSITIVE .range = "> 0"
#define MB_NOT_NEGATIVE .range = ">= 0"

/* The part of a dal_element_type that a type table has: what it is, where it is, its keys. */
#define MB_ABOUT(text_, place_, keys_)                                                                          \
    {                                                                                                           \
        .text = (text_), .place = DAL_PLACE_##place_, .keys = (keys_), .nkeys = sizeof(keys_) / sizeof *(keys_) \
    }
/* The same where one of some sets of keys must be there: "damping|quadratic". */
#define MB_ABOUT_ONE_OF(text_, place_, keys_, one_of_)                                                           \
    {                                                                                                            \
        .text = (text_), .place = DAL_PLACE_##place_, .keys = (keys_), .nkeys = sizeof(keys_) / sizeof *(keys_), \
        .one_of = (one_of_)                                                                                      \
    }
#define MB_ABOUT_PLAIN(text_, place_)                \
    {                                                \
        .text = (text_), .place = DAL_PLACE_##place_ \
    }

/* Does a type have a key of its own of this name? */
int mb_has_key(const dal_element_type *about, const char *name);

/* Are the numbers of a description in the ranges of its keys? what: "joint", "force". */
dal_status mb_check_ranges(dal_ctx *ctx, const char *what, const char *name, const dal_element_type *about,
                           const void *description);

/* Type number k of a section; name is NULL if there is none. */
dal_element_type mb_body_about(int k);
dal_element_type mb_joint_about(int k);
dal_element_type mb_force_about(int k);
dal_element_type mb_function_about(int k);
dal_element_type mb_output_about(int k);

/* Along coordinates of all joints and springs. */
#define MB_COORDINATE_KEY(type_, text_) \
    MB_KEY(COORDINATE, "coordinate", type_, coordinate, "", text_, .second = offsetof(type_, axis))

/* Bodies: their types share these (elements.c). */
enum { MB_NRIGID_KEYS = 11, MB_NPOINT_KEYS = 4, MB_NFLEXIBLE_KEYS = 12 };
extern const dal_key mb_rigid_keys[MB_NRIGID_KEYS], mb_point_keys[MB_NPOINT_KEYS], mb_flexible_keys[MB_NFLEXIBLE_KEYS];
#define MB_ABOUT_RIGID(text_)                                                                           \
    {                                                                                                   \
        .text = (text_), .keys = mb_rigid_keys, .nkeys = MB_NRIGID_KEYS, .one_of = "mass|density shape" \
    }

#endif
