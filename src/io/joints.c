/* Joints: what the keys of their type say, bodies and frames. */
#include <math.h>
#include <string.h>

#include "io/io_impl.h"
#include "mbs/parameters.h"

/* A part that is placed has no joints that go by the axes of the world, one that is tilted none that hold x and y alone. */
static dal_status in_the_world(const io_loader *L, const io_node *at, const io_type *type)
{
    static const char *const flat[] = {"planar_revolute", "planar_fixed"};
    io_real pose[7];
    int given = 0;
    DAL_TRY(dal_io_reference(L, pose, &given, &(io_node){.json = NULL}));
    if (given && dal_io_key_of_kind(type, DAL_KEY_ROWS) != NULL) {
        return dal_io_fail(L, at,
                           "rows are in the axes of the world, which a part with a place of its own does not have: "
                           "move this joint to the model that uses the part");
    }
    const int tilted = given && hypot(pose[3].x, pose[6].x) * hypot(pose[4].x, pose[5].x) > 1e-9;
    for (int i = 0; tilted && i < 2; ++i) {
        if (strcmp(type->about.name, flat[i]) == 0) {
            return dal_io_fail(L, at,
                               "a joint of type %s holds points in the x-y plane of the world, out of which this part "
                               "is turned: use %s",
                               flat[i], i ? "fixed" : "revolute or generic");
        }
    }
    return DAL_OK;
}

dal_status dal_io_joint(io_loader *L, const io_node *at)
{
    const io_type *type = NULL;
    io_texts texts;
    char name[IO_TEXT];
    io_node child;
    int body[2] = {0, 0};
    DAL_TRY(dal_io_selector(&child, L, at, "joints", "type", "a joint"));
    DAL_TRY(dal_io_type(L, &type, &child, "joints", "type of joint"));
    DAL_TRY(dal_io_object_of(L, at, "this type of joint", "type", type));
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_name(L, name, &child));
    if (dal_io_left_out(L, name)) {
        return DAL_OK;
    }

    dal_joint joint = {.name = name, .type = type->about.name};
    DAL_TRY(dal_io_values(L, &joint, &texts, at, type));
    if (dal_io_member(&child, at, "release")) {
        io_real release;
        dal_io_fetch(L, &release, &joint.release, 1);
        DAL_TRY(dal_io_apply(L, &release, &child, IO_RELEASED, &release));
        dal_io_store(L, &joint.release, &release, 1);
    }
    if (dal_io_member(&child, at, "active")) { // false: until an event switches it on
        int active;
        DAL_TRY(dal_io_flag(L, &active, &child));
        joint.release = active ? joint.release : -1.0;
    }
    DAL_TRY(in_the_world(L, at, type));
    if (dal_io_key_of_kind(type, DAL_KEY_ROWS) != NULL) {
        DAL_TRY(dal_io_rows(L, &joint, at));
    }
    const int apart = joint.coordinate == DAL_COORDINATE_LENGTH;
    dal_frame *const frame[2] = {&joint.frame_a, &joint.frame_b};
    DAL_TRY(dal_io_place_or_joint(L, &joint.joint, &texts, body, frame, at, type, apart));
    if (dal_io_key_of_kind(type, DAL_KEY_COORDINATE) != NULL) {
        DAL_TRY(dal_io_check_side(L, at, type, mb_model_turns(L->model, joint.coordinate, joint.joint)));
    }
    joint.body_a = body[0];
    joint.body_b = body[1];
    return dal_io_add_joint(L, at, &joint);
}
