/* The benchmark problems built from bodies, joints and forces. Initial values are those of the problem. */
#ifndef MECHANISMS_H
#define MECHANISMS_H

#include "dalembert/mbs.h"
#include "problems/problems.h"

/* Body `number` of a problem of R^3 x SO(3) bodies starts like this. */
dal_body body_like(const problem *p, int number, const char *name, double mass, const double J[3]);

dal_model *heavy_top_model(dal_ctx *ctx, const char *type);
/* The same top with its body frame at the fixed point. */
dal_model *heavy_top_about_tip(dal_ctx *ctx, const char *type);
dal_model *slider_crank_model(dal_ctx *ctx, const char *type); /* spatial */
dal_model *planar_crank_model(dal_ctx *ctx);
dal_model *rolling_disk_model(dal_ctx *ctx, const char *type);
dal_model *knife_edge_model(dal_ctx *ctx);
dal_model *sleigh_model(dal_ctx *ctx, const char *type);

/* n links with spherical joints, along x from the origin, gravity -z. */
dal_model *chain_model(dal_ctx *ctx, int n, const char *joint);

#endif
