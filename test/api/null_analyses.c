/* NULL for modes over a parameter, for descriptions of robots, and for beams. */
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

void imports_refuse_null(dal_ctx *ctx)
{
    dal_import *import;
    refused(ctx, "import", dal_import_create, NULL, ctx, "a.urdf", NULL);
    refused_silently(dal_import_create, &import, NULL, "a.urdf", NULL);
    refused(ctx, "path", dal_import_create, &import, ctx, NULL, NULL);
    refused(ctx, "import", dal_import_parse, NULL, ctx, "<robot/>", 8, "a.urdf", NULL);
    refused_silently(dal_import_parse, &import, NULL, "<robot/>", 8, "a.urdf", NULL);
    refused(ctx, "text", dal_import_parse, &import, ctx, NULL, 8, "a.urdf", NULL);
    refused(ctx, "name", dal_import_parse, &import, ctx, "<robot/>", 8, NULL, NULL);
    harmless(dal_import_is, dal_import_is(NULL) == 0);
    harmless(dal_import_text, dal_import_text(NULL) == NULL);
    harmless(dal_import_report, dal_import_report(NULL).links == 0);
    harmless(dal_import_note_count, dal_import_note_count(NULL) == 0);
    harmless(dal_import_note_at, dal_import_note_at(NULL, 0).what == NULL);
    does_nothing(dal_import_destroy, NULL);
}

void beams_refuse_null(dal_ctx *ctx)
{
    const dal_curve curve = {.length = 1.0};
    const double s[1] = {0.0};
    double pose[7];
    dal_beam_state state;
    refused_silently(dal_curve_frames, NULL, NULL, pose, &curve, s, 1);
    refused(ctx, "pose", dal_curve_frames, ctx, NULL, NULL, &curve, s, 1);
    refused(ctx, "curve", dal_curve_frames, ctx, NULL, pose, NULL, s, 1);
    refused(ctx, "s", dal_curve_frames, ctx, NULL, pose, &curve, NULL, 1);
    refused_silently(dal_model_add_beam, NULL, NULL, &(dal_exact_beam){0});
    refused_silently(dal_model_beam_at, NULL, NULL, &state, &(dal_point){0}, 0, 0.0);
    harmless(dal_model_beam_count, dal_model_beam_count(NULL) == 0);
    harmless(dal_model_find_beam, dal_model_find_beam(NULL, "b") == -1);
    harmless(dal_model_beam_node, dal_model_beam_node(NULL, NULL, 0, 0) == -1);
    harmless(dal_model_beam_info, dal_model_beam_info(NULL, 0).name == NULL);
    harmless(dal_section_of, dal_section_of(NULL).stiffness[0] == 0.0);
}
