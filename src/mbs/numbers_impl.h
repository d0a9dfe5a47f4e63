/* Numbers of elements for one simulation: descriptions as they are in an instance, and how they are set there. */
#ifndef DAL_MBS_NUMBERS_IMPL_H
#define DAL_MBS_NUMBERS_IMPL_H

#include "mbs/mbs_impl.h"

/* Complete descriptions: setting what was got changes nothing. Texts and lists are those of the model or the instance. */
dal_status mb_get_body(mb_instance *m, dal_body *body, int number) DAL_NODISCARD;
dal_status mb_get_flexible(mb_instance *m, dal_flexible *body, int number) DAL_NODISCARD;
dal_status mb_get_joint(mb_instance *m, dal_joint *joint, int number) DAL_NODISCARD;
dal_status mb_get_force(mb_instance *m, dal_force *force, int number) DAL_NODISCARD;
dal_status mb_get_function(mb_instance *m, dal_function *function, int number) DAL_NODISCARD;
dal_status mb_get_output(mb_instance *m, dal_frame *frame, int number) DAL_NODISCARD;
/* NULL if the data is not that of a model, with a message. */
mb_instance *mb_instance_in(dal_data *data);

/* On failure nothing has changed. */
dal_status mb_set_gravity(mb_instance *m, const double gravity[3]) DAL_NODISCARD;
dal_status mb_set_body(mb_instance *m, int number, const dal_body *body) DAL_NODISCARD;
dal_status mb_set_flexible(mb_instance *m, int number, const dal_flexible *body) DAL_NODISCARD;
dal_status mb_set_joint(mb_instance *m, int number, const dal_joint *joint) DAL_NODISCARD;
dal_status mb_set_force(mb_instance *m, int number, const dal_force *force) DAL_NODISCARD;
dal_status mb_set_function(mb_instance *m, int number, const dal_function *function) DAL_NODISCARD;
dal_status mb_set_output(mb_instance *m, int number, const dal_frame *frame) DAL_NODISCARD;

/* Numbers and set_numbers of the system (parameters.c). */
int mb_numbers(double *x, const void *user, void *work);
dal_status mb_set_numbers(const double *x, int n, const void *user, void *work);

#endif
