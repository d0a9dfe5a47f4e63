/* Initial poses of bodies: position, then a quaternion of length one. */
#ifndef DAL_MBS_POSE_H
#define DAL_MBS_POSE_H

#include "dalembert/mbs.h"

/* In the model, in a simulation. */
dal_status mb_model_pose(const dal_model *model, double pose[7], int body) DAL_NODISCARD;
dal_status mb_data_pose(dal_data *data, double pose[7], int body) DAL_NODISCARD;
/* A frame of the world (position and rotation, of any length but zero) as one of a body with this pose. */
void mb_frame_in(double frame[7], const double pose[7], const double world[7]);

#endif
