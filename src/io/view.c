/* How the whole is drawn: shapes of the ground, paths of points. */
#include <string.h>

#include "io/io_impl.h"

/* Paths of outputs that are drawn by default. */
enum { TRAILS_MAX = 12 };

static dal_status add_trail(const io_loader *L, const io_node *at, int body, const double point[3])
{
    if (body < 1) {
        return dal_io_fail(L, at, "the path of a point of the ground is a point; name a body");
    }
    const dal_status st = dal_model_add_trail(L->model, body, point);
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

/* "body", or {"body": ..., "frame": ...} */
static dal_status read_trail(io_loader *L, const io_node *at)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    int body;
    dal_frame frame = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    if (dal_json_is(at->json, DAL_JSON_TEXT)) {
        DAL_TRY(dal_io_body_number(L, &body, at));
        return add_trail(L, at, body, origin);
    }
    DAL_TRY(dal_io_object(L, at, dal_io_form("trail")));
    DAL_TRY(dal_io_body_place(L, &body, &frame, at));
    return add_trail(L, at, body, frame.position);
}

static dal_status read_ground(io_loader *L, const io_node *at)
{
    io_shapes shapes;
    dal_status st = dal_io_shapes(L, &shapes, at, "ground");
    st = st == DAL_OK ? dal_io_shapes_add(L, at, &shapes, 0) : st;
    dal_io_shapes_release(&shapes, L->ctx);
    return st;
}

dal_status dal_io_view(io_loader *L, const io_node *root)
{
    io_node at, trails;
    if (!dal_io_member(&at, root, "view")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_object(L, &at, dal_io_form("view")));
    L->own_trails = dal_io_member(&trails, &at, "trails");
    DAL_TRY(read_ground(L, &at));
    return dal_io_each(L, &at, "trails", read_trail);
}

dal_status dal_io_trail_of_output(const io_loader *L, const io_node *at, const dal_output *output)
{
    const int wanted = !L->own_trails && output->body > 0 && strcmp(output->quantity, "position") == 0;
    return wanted && dal_model_trail_count(L->model) < TRAILS_MAX
               ? add_trail(L, at, output->body, output->frame.position)
               : DAL_OK;
}
