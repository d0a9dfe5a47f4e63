/* NULL for modes over a parameter. */
#include "refused.h"

static dal_status no_modes(dal_modal **modal, double p, int i, void *user)
{
    return DAL_NOCONV;
}

void campbell_refuses_null(dal_ctx *ctx)
{
    const double one[1] = {1.0};
    const dal_campbell_spec values = {.n = 1, .p = one, .modes = no_modes}, no_values = {.n = 1, .modes = no_modes},
                            nothing = {.n = 1, .p = one};
    dal_campbell *campbell;
    refused(ctx, "out", dal_campbell_create, NULL, ctx, &values);
    refused_silently(dal_campbell_create, &campbell, NULL, &values);
    refused(ctx, "spec", dal_campbell_create, &campbell, ctx, NULL);
    refused(ctx, "spec->p", dal_campbell_create, &campbell, ctx, &no_values);
    refused(ctx, "spec->modes", dal_campbell_create, &campbell, ctx, &nothing);
    harmless(dal_campbell_about, dal_campbell_about(NULL).ntracks == 0);
    harmless(dal_campbell_modal, dal_campbell_modal(NULL, 0) == NULL);
    harmless(dal_campbell_mode, dal_campbell_mode(NULL, 0, 0) == -1);
    harmless(dal_modal_growing, dal_modal_growing(NULL) == 0);
    harmless(dal_mode_growth, dal_mode_growth((dal_mode){0}) == 0.0);
    does_nothing(dal_campbell_destroy, NULL);
}
