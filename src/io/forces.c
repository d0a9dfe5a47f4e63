/* Forces: what the keys of their type say, where they act, and when. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/io_impl.h"
#include "mbs/parameters.h"

/* {"from": t0, "to": t1}, or false */
static dal_status read_active(io_loader *L, const io_node *at, dal_force *force)
{
    io_node child;
    if (!dal_io_member(&child, at, "active")) {
        return DAL_OK;
    }
    if (dal_json_is_flag(child.json)) { // false: until an event switches it on
        force->switched = dal_json_is(child.json, DAL_JSON_FALSE);
        force->from = DBL_MAX;
        force->to = INFINITY;
        return DAL_OK;
    }
    io_span span = {-INFINITY, INFINITY};
    DAL_TRY(dal_io_read(L, &span, NULL, &child, dal_io_form("active")));
    io_real x[2];
    dal_io_fetch(L, &x[0], &span.from, 1);
    dal_io_fetch(L, &x[1], &span.to, 1);
    DAL_TRY(dal_io_apply(L, x, &child, IO_ACTIVE, x));
    force->switched = 1;
    dal_io_store(L, &force->from, &x[0], 1);
    dal_io_store(L, &force->to, &x[1], 1);
    return DAL_OK;
}

static dal_status read_place(const io_loader *L, const io_node *at, const io_type *type, dal_force *force,
                             io_texts *texts)
{
    int body[2] = {0, 0};
    dal_frame *const frame[2] = {&force->frame_a, &force->frame_b};
    if (type->about.place == DAL_PLACE_BODY) {
        return dal_io_body_place(L, &force->body_b, &force->frame_b, at);
    }
    // what acts along a coordinate, and does not say along which, acts along its length
    const int apart = dal_io_key_of_kind(type, DAL_KEY_COORDINATE) != NULL &&
                      (force->coordinate == DAL_COORDINATE_LENGTH || force->coordinate == DAL_COORDINATE_DEFAULT);
    DAL_TRY(dal_io_place_or_joint(L, &force->joint, texts, body, frame, at, type, apart));
    force->body_a = body[0];
    force->body_b = body[1];
    return DAL_OK;
}

/* One of the keys "damping|quadratic" must be there, be it zero. */
static dal_status need_one_of(const io_loader *L, const io_node *at, const char *one_of)
{
    char list[200];
    io_node child;
    size_t used = 0;
    for (const char *key = one_of; key != NULL && *key != '\0';) {
        const size_t n = strcspn(key, "|");
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)n, key);
        if (dal_io_member(&child, at, word)) {
            return DAL_OK;
        }
        key += n + (key[n] == '|');
        used += (size_t)snprintf(list + used, sizeof list - used, "%s'%s'",
                                 used == 0      ? ""
                                 : *key != '\0' ? ", "
                                                : " or ",
                                 word);
    }
    return one_of == NULL ? DAL_OK : dal_io_fail(L, at, "%s is missing", list);
}

/* What acts along the axes of the world has those of the part. */
static dal_status turn_vector(const io_loader *L, const io_node *at, const io_type *type, dal_force *force)
{
    io_real pose[7];
    io_node child;
    int given = 0;
    DAL_TRY(dal_io_reference(L, pose, &given, &(io_node){.json = NULL}));
    if (given && strcmp(type->about.name, "cartesian") == 0) {
        return dal_io_fail(
            L, at,
            "a force of type cartesian acts along the axes of the world, which a part with a place of its "
            "own does not have: use a bushing");
    }
    return given && !force->follower && dal_io_member(&child, at, "vector")
               ? dal_io_turn_field(L, force->vector, &child)
               : DAL_OK;
}

/* Does what it acts along turn? -1: it is not along a coordinate. */
static int turns(const io_loader *L, const io_type *type, const dal_force *force)
{
    const int along = dal_io_key_of_kind(type, DAL_KEY_COORDINATE) != NULL;
    const dal_coordinate coordinate = along && force->joint == NULL && force->coordinate == DAL_COORDINATE_DEFAULT
                                          ? DAL_COORDINATE_LENGTH
                                          : force->coordinate;
    return strcmp(type->about.name, "force") == 0    ? 0
           : strcmp(type->about.name, "torque") == 0 ? 1
           : along                                   ? mb_model_turns(L->model, coordinate, force->joint)
                                                     : -1;
}

dal_status dal_io_force(io_loader *L, const io_node *at)
{
    const io_type *type = NULL;
    io_texts texts;
    char name[IO_TEXT];
    io_law law;
    io_node child;
    DAL_TRY(dal_io_selector(&child, L, at, "forces", "type", "a force"));
    DAL_TRY(dal_io_type(L, &type, &child, "forces", "type of force"));
    DAL_TRY(dal_io_object_of(L, at, "this type of force", "type", type));
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_name(L, name, &child));
    if (dal_io_left_out(L, name)) {
        return DAL_OK;
    }

    dal_force force = {.name = name, .type = type->about.name};
    law.n = 0;
    DAL_TRY(dal_io_values(L, &force, &texts, at, type));
    if (strcmp(type->about.name, "friction") == 0 && dal_io_member(&child, at, "radius")) {
        io_real radius;
        dal_io_fetch(L, &radius, &force.radius, 1);
        DAL_TRY(dal_io_apply(L, &radius, &child, IO_LEVER, &radius));
        dal_io_store(L, &force.radius, &radius, 1);
    }
    DAL_TRY(read_active(L, at, &force));
    DAL_TRY(turn_vector(L, at, type, &force));
    DAL_TRY(read_place(L, at, type, &force, &texts));
    DAL_TRY(dal_io_check_side(L, at, type, turns(L, type, &force)));
    DAL_TRY(need_one_of(L, at, type->about.one_of));
    if (dal_io_key_of_kind(type, DAL_KEY_EXPRESSION) != NULL) {
        DAL_TRY(dal_io_law(L, &law, &force, at));
    }
    return dal_io_add_force(L, at, &force);
}
