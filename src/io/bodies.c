/* Bodies: mass, inertia from numbers or shapes, initial motion. */
#include <string.h>

#include "io/io_impl.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- inertia ---------------------------------------------------------------------------------- */

/* Moments of a body of revolution: J[0] along its axis and J[1] across. */
static dal_status put_axial(const io_loader *L, const io_node *at, int axis, const io_real J[2], io_real s[6])
{
    static const char *const words[] = {"x", "y", "z"};
    io_node child;
    if (dal_io_member(&child, at, "axis")) {
        DAL_TRY(dal_io_choice(L, &axis, &child, "axis", words, LEN(words)));
    }
    for (int k = 0; k < 3; ++k) {
        s[k] = J[k != axis];
    }
    return DAL_OK;
}

/* Homogeneous bodies about their centres. */
static dal_status read_shape(const io_loader *L, const io_node *at, io_real m, io_real s[6])
{
    static const io_kernel kernel[] = {[IO_INERTIA_BOX] = IO_BOX,
                                       [IO_INERTIA_ROD] = IO_ROD,
                                       [IO_INERTIA_CYLINDER] = IO_CYLINDER,
                                       [IO_INERTIA_DISK] = IO_DISK,
                                       [IO_INERTIA_SPHERE] = IO_SPHERE};
    io_real x[4] = {m}, J[3] = {{0.0, 0}};
    io_node child;
    const io_form *form;
    DAL_TRY(dal_io_alternative(&form, &child, L, at, "a shape", "inertia"));
    DAL_TRY(dal_io_object(L, at, form));
    const int n = form->type.keys[0].kind == DAL_KEY_NUMBERS ? form->type.keys[0].n : 1;
    DAL_TRY(n > 1 ? dal_io_numbers(L, x + 1, &child, n) : dal_io_number(L, x + 1, &child));
    const int rod = form->number == IO_INERTIA_ROD; // nothing along its axis
    DAL_TRY(dal_io_apply(L, J + rod, &child, kernel[form->number], x));
    switch (form->number) {
    case IO_INERTIA_BOX:
        memcpy(s, J, sizeof J);
        return DAL_OK;
    case IO_INERTIA_SPHERE:
        s[0] = s[1] = s[2] = J[0];
        return DAL_OK;
    default:
        return put_axial(L, at, rod ? 0 : 2, J, s);
    }
}

static dal_status read_inertia(const io_loader *L, const io_node *at, dal_body *body)
{
    io_real s[6], m;
    dal_io_fetch(L, s, body->inertia, 6);
    dal_io_fetch(L, &m, &body->mass, 1);
    if (dal_json_is(at->json, DAL_JSON_OBJECT)) {
        DAL_TRY(read_shape(L, at, m, s));
    } else if (dal_json_is(at->json, DAL_JSON_LIST)) {
        DAL_TRY(dal_io_numbers(L, s, at, dal_io_length(at) == 6 ? 6 : 3));
    } else {
        DAL_TRY(dal_io_number(L, &s[2], at));
        if (strncmp(body->type, "planar", 6) != 0) {
            s[0] = s[1] = s[2];
        }
    }
    dal_io_store(L, body->inertia, s, 6);
    return DAL_OK;
}

/* Inertia of a body whose mass is a number. */
static dal_status read_inertia_of(const io_loader *L, const io_node *at, dal_body *body, const io_type *type)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, at, "mass"));
    if (dal_io_member(&child, at, "inertia")) {
        return read_inertia(L, &child, body);
    }
    if (body->mass > 0.0 && dal_io_key_of_kind(type, DAL_KEY_INERTIA) != NULL) {
        return dal_io_fail(L, at, "'inertia' is missing (use 0 for a body without rotational inertia)");
    }
    return DAL_OK;
}

/* From shapes and density; while recording, only if they follow from values: then they are read again. */
static dal_status read_weight(io_loader *L, const io_node *at, dal_body *body, const io_shapes *shapes)
{
    io_node density, shape;
    io_shapes read;
    if (L->record == NULL) {
        return dal_io_shapes_mass(L, body, at, shapes);
    }
    int fixed = 1;
    DAL_TRY(dal_io_member(&density, at, "density") ? dal_io_is_fixed(L, &fixed, &density) : DAL_OK);
    DAL_TRY(dal_io_member(&shape, at, "shape") ? dal_io_is_fixed(L, &fixed, &shape) : DAL_OK);
    if (fixed) {
        return DAL_OK;
    }
    dal_status st = dal_io_shapes(L, &read, at, "shape");
    st = st == DAL_OK ? dal_io_shapes_mass(L, body, at, &read) : st;
    dal_io_shapes_release(&read, L->ctx);
    return st;
}

/* ---- motion ----------------------------------------------------------------------------------- */

dal_status dal_io_world_spin(const io_loader *L, double w[3], const io_node *at, const double p[4])
{
    io_node child;
    io_real x[7];
    if (!dal_io_member(&child, at, "angular_velocity_world")) {
        return DAL_OK;
    }
    io_node own;
    if (dal_io_member(&own, at, "angular_velocity")) {
        return dal_io_fail(L, at, "either angular_velocity (body axes) or angular_velocity_world");
    }
    dal_io_fetch(L, x, p, 4);
    DAL_TRY(dal_io_vector(L, x + 4, &child));
    DAL_TRY(dal_io_turned(L, x + 4, &child));
    DAL_TRY(dal_io_apply(L, x, &child, IO_BACK, x));
    dal_io_store(L, w, x, 3);
    return DAL_OK;
}

dal_status dal_io_body_pose(const io_loader *L, double position[3], double rotation[4], double velocity[3],
                            const io_node *at, const io_type *type)
{
    io_real frame[7];
    dal_io_fetch(L, frame, position, 3);
    dal_io_fetch(L, frame + 3, rotation, 4);
    DAL_TRY(dal_io_placed(L, frame, at));
    dal_io_store(L, position, frame, 3);
    if (dal_io_key(type, "rotation") != NULL) {
        dal_io_store(L, rotation, frame + 3, 4);
    }
    return dal_io_turn_field(L, velocity, at);
}

int dal_io_given(const io_node *at)
{
    static const struct {
        const char *key;
        int flag;
    } keys[] = {{"velocity", DAL_GIVEN_VELOCITY},
                {"angular_velocity", DAL_GIVEN_ANGULAR_VELOCITY},
                {"angular_velocity_world", DAL_GIVEN_ANGULAR_VELOCITY},
                {"modal_velocity", DAL_GIVEN_MODAL_VELOCITY}};
    int given = 0;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; ++k) {
        io_node child;
        given |= dal_io_member(&child, at, keys[k].key) ? keys[k].flag : 0;
    }
    return given;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static dal_status read_body(io_loader *L, const io_node *at, const io_type *type, const io_shapes *shapes)
{
    char name[IO_TEXT];
    io_texts texts;
    io_node child;
    dal_body body = {.rotation = {1.0, 0.0, 0.0, 0.0}};
    const int turns = dal_io_key_of_kind(type, DAL_KEY_INERTIA) != NULL;
    DAL_TRY(dal_io_object_of(L, at, turns ? "a body" : "a point", "type", type));
    DAL_TRY(dal_io_need(&child, L, at, "name"));
    DAL_TRY(dal_io_name(L, name, &child));
    const int weighed = dal_io_member(&child, at, "density");
    body.name = name;
    body.type = type->about.name;
    DAL_TRY(dal_io_values(L, &body, &texts, at, type));
    DAL_TRY(dal_io_body_pose(L, body.position, body.rotation, body.velocity, at, type));
    DAL_TRY(weighed ? read_weight(L, at, &body, shapes) : read_inertia_of(L, at, &body, type));
    DAL_TRY(dal_io_world_spin(L, body.angular_velocity, at, body.rotation));
    body.given = dal_io_given(at);
    DAL_TRY(dal_io_add_body(L, at, &body));
    return L->record == NULL ? dal_io_shapes_add(L, at, shapes, L->number) : DAL_OK;
}

dal_status dal_io_body(io_loader *L, const io_node *at)
{
    const io_type *type = NULL;
    io_node child;
    io_shapes shapes;
    const int typed = dal_io_member(&child, at, "type");
    DAL_TRY(dal_io_type(L, &type, typed ? &child : NULL, "bodies", "type of body"));
    if (dal_io_key_of_kind(type, DAL_KEY_MODES) != NULL) {
        return dal_io_flexible(L, at, type);
    }
    if (L->record != NULL) {
        return read_body(L, at, type, NULL);
    }
    dal_status st = dal_io_shapes(L, &shapes, at, "shape");
    if (st == DAL_OK) {
        st = read_body(L, at, type, &shapes);
    }
    dal_io_shapes_release(&shapes, L->ctx);
    return st;
}
