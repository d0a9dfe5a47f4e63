/* Bodies: mass, inertia from numbers or shapes, initial motion. */
#include <string.h>

#include "io/io_impl.h"
#include "mbs/number_kernel.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- inertia ---------------------------------------------------------------------------------- */

/* Moments of a body of revolution: `along` its axis and `across`. */
static dal_status put_axial(const io_loader *L, const io_node *at, int axis, double along, double across, double s[6])
{
    static const char *const words[] = {"x", "y", "z"};
    io_node child;
    if (dal_io_member(&child, at, "axis")) {
        DAL_TRY(dal_io_choice(L, &axis, &child, "axis", words, LEN(words)));
    }
    for (int k = 0; k < 3; ++k) {
        s[k] = k == axis ? along : across;
    }
    return DAL_OK;
}

/* Homogeneous bodies about their centres. */
static dal_status read_shape(const io_loader *L, const io_node *at, double m, double s[6])
{
    double a[3] = {0.0};
    io_node child;
    const io_form *form;
    DAL_TRY(dal_io_alternative(&form, &child, L, at, "a shape", "inertia"));
    DAL_TRY(dal_io_object(L, at, form));
    const int n = form->type.keys[0].kind == DAL_KEY_NUMBERS ? form->type.keys[0].n : 1;
    DAL_TRY(n > 1 ? dal_io_numbers(L, a, &child, n) : dal_io_number(L, a, &child));
    for (int k = 0; k < n; ++k) {
        if (!(a[k] >= 0.0)) {
            return dal_io_fail(L, &child, "the lengths of a %s cannot be negative, as %g is", form->type.name, a[k]);
        }
    }
    const double x[4] = {m, a[0], a[1], a[2]};
    double J[3];
    switch (form->number) {
    case IO_INERTIA_BOX:
        number_box(s, x);
        dal_io_note(L, "box", s, 3, x, 4);
        return DAL_OK;
    case IO_INERTIA_ROD:
        number_rod(J, x);
        dal_io_note(L, "rod", J, 1, x, 2);
        return put_axial(L, at, 0, 0.0, J[0], s);
    case IO_INERTIA_CYLINDER:
        number_cylinder(J, x);
        dal_io_note(L, "cylinder", J, 2, x, 3);
        return put_axial(L, at, 2, J[0], J[1], s);
    case IO_INERTIA_DISK:
        number_disk(J, x);
        dal_io_note(L, "disk", J, 2, x, 2);
        return put_axial(L, at, 2, J[0], J[1], s);
    default:
        number_sphere(J, x);
        dal_io_note(L, "sphere", J, 1, x, 2);
        s[0] = s[1] = s[2] = J[0];
        return DAL_OK;
    }
}

static dal_status read_inertia(const io_loader *L, const io_node *at, dal_body *body)
{
    double *s = body->inertia;
    if (dal_json_is(at->json, DAL_JSON_OBJECT)) {
        DAL_TRY(read_shape(L, at, body->mass, s));
    } else if (dal_json_is(at->json, DAL_JSON_LIST)) {
        DAL_TRY(dal_io_numbers(L, s, at, dal_io_length(at) == 6 ? 6 : 3));
    } else {
        DAL_TRY(dal_io_number(L, &s[2], at));
        if (strncmp(body->type, "planar", 6) != 0) {
            s[0] = s[1] = s[2];
        }
    }
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

/* What shapes weigh is computed again only if they, or the density, depend on values. */
static dal_status read_weight(io_loader *L, const io_node *at, dal_body *body, const io_shapes *shapes)
{
    io_node density, shape;
    io_shapes read;
    if (dal_io_mode(L) == IO_LOAD) {
        return dal_io_shapes_mass(L, body, at, shapes);
    }
    int fixed = 1;
    const int weighed = dal_io_member(&density, at, "density"), shaped = dal_io_member(&shape, at, "shape");
    if (dal_io_mode(L) == IO_RECORD) {
        DAL_TRY(weighed ? dal_io_is_fixed(L, &fixed, &density) : DAL_OK);
        DAL_TRY(shaped ? dal_io_is_fixed(L, &fixed, &shape) : DAL_OK);
    }
    dal_io_keep_whole(L, &fixed);
    if (fixed) {
        return DAL_OK; // as it is
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
    double world[3] = {0.0};
    if (!dal_io_member(&child, at, "angular_velocity_world")) {
        return DAL_OK;
    }
    io_node own;
    if (dal_io_member(&own, at, "angular_velocity")) {
        return dal_io_fail(L, at, "either angular_velocity (body axes) or angular_velocity_world");
    }
    const double back[4] = {p[0], -p[1], -p[2], -p[3]};
    DAL_TRY(dal_io_vector(L, world, &child));
    dal_quat_rotate(w, back, world);
    const double in[7] = {p[0], p[1], p[2], p[3], world[0], world[1], world[2]};
    dal_io_note(L, "back", w, 3, in, 7);
    return DAL_OK;
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
    DAL_TRY(dal_io_text(L, name, &child));
    const int weighed = dal_io_member(&child, at, "density");
    if (weighed && dal_io_mode(L) == IO_REPLAY) {
        dal_body now;
        DAL_TRY(dal_data_get_body(L->data, &now, L->number));
        body.mass = now.mass;
        memcpy(body.inertia, now.inertia, sizeof body.inertia);
        memcpy(body.com, now.com, sizeof body.com);
    }
    body.name = name;
    body.type = type->about.name;
    DAL_TRY(dal_io_values(L, &body, &texts, at, type));
    DAL_TRY(weighed ? read_weight(L, at, &body, shapes) : read_inertia_of(L, at, &body, type));
    DAL_TRY(dal_io_world_spin(L, body.angular_velocity, at, body.rotation));
    body.given = dal_io_given(at);
    DAL_TRY(dal_io_add_body(L, at, &body));
    return dal_io_mode(L) == IO_LOAD ? dal_io_shapes_add(L, at, shapes, L->number) : DAL_OK;
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
    if (dal_io_mode(L) != IO_LOAD) {
        return read_body(L, at, type, NULL);
    }
    dal_status st = dal_io_shapes(L, &shapes, at, "shape");
    if (st == DAL_OK) {
        st = read_body(L, at, type, &shapes);
    }
    dal_io_shapes_release(&shapes, L->ctx);
    return st;
}
