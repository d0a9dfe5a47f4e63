/* Forces of type law: an expression of time and of named inputs, "-c*v*abs(v)" with {"v": "slider.velocity.x"}. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/callbacks.h"
#include "io/io_impl.h"
#include "io/look.h"

#define LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))

/* ---- evaluation ------------------------------------------------------------------------------- */

/* The inputs of the expression are t, those of the force, and parameters behind them; g has derivatives by `n` inputs of the
 * force. The model reports what is not finite. */
static dal_status value_at(double *F, double *g, double t, const double *x, const dal_functions *functions,
                           const dal_expression *e, int n)
{
    double in[1 + DAL_INPUTS_MAX + DAL_PARAMETERS_MAX] = {t}, slope[1 + DAL_INPUTS_MAX + DAL_PARAMETERS_MAX];
    memcpy(in + 1, x, (size_t)(dal_expression_inputs(e) - 1) * sizeof(double));
    DAL_TRY(dal_expression_calling(F, g != NULL ? slope : NULL, e, in, functions));
    if (g != NULL) {
        memcpy(g, slope + 1, (size_t)n * sizeof(double));
    }
    return DAL_OK;
}

/* dal_law: nothing is called. */
static dal_status evaluate(double *F, double *g, double t, const double *x, void *user)
{
    return value_at(F, g, t, x, NULL, user, dal_expression_inputs(user) - 1);
}

static dal_status evaluate_bound(double *F, double *g, double t, const double *x, void *user)
{
    const io_bound *bound = user;
    return value_at(F, g, t, x, NULL, bound->e, bound->ninputs - 1);
}

/* dal_calling_law */
static dal_status call(double *F, double *g, double t, const double *x, const dal_functions *functions, void *user)
{
    return value_at(F, g, t, x, functions, user, dal_expression_inputs(user) - 1);
}

static dal_status call_bound(double *F, double *g, double t, const double *x, const dal_functions *functions,
                             void *user)
{
    const io_bound *bound = user;
    return value_at(F, g, t, x, functions, bound->e, bound->ninputs - 1);
}

/* dal_law_break and dal_calling_break of all. */
static double next_break(double t, const double *parameter, const dal_functions *functions, const io_formula *f)
{
    double x[1 + DAL_INPUTS_MAX + DAL_PARAMETERS_MAX];
    const int n = dal_expression_inputs(f->e);
    for (int k = 0; k < n; ++k) {
        x[k] = k < n - f->nparameters ? (double)NAN : parameter[k - (n - f->nparameters)];
    }
    return dal_expression_break(f->e, x, 1, t, functions);
}

static double law_break(double t, const double *parameter, void *user)
{
    return next_break(t, parameter, NULL, &(io_formula){user, 0});
}

static double bound_break(double t, const double *parameter, void *user)
{
    const io_bound *bound = user;
    return next_break(t, parameter, NULL, &(io_formula){bound->e, bound->n});
}

static double call_break(double t, const double *parameter, const dal_functions *functions, void *user)
{
    return next_break(t, parameter, functions, &(io_formula){user, 0});
}

static double call_bound_break(double t, const double *parameter, const dal_functions *functions, void *user)
{
    const io_bound *bound = user;
    return next_break(t, parameter, functions, &(io_formula){bound->e, bound->n});
}

io_formula dal_io_formula_of_law(const dal_force *d)
{
    if (d->law == evaluate || d->calling_law == call) {
        return (io_formula){d->user, 0};
    }
    const io_bound *bound = d->law == evaluate_bound || d->calling_law == call_bound ? d->user : NULL;
    return bound != NULL ? (io_formula){bound->e, bound->n} : (io_formula){NULL, 0};
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* Quantities that the derivatives of a force can follow. */
typedef enum input_of { OF_BODY, OF_JOINT, OF_STATE, OF_REACTION } input_of;
static const struct {
    const char *name;
    input_of of;
    int axes, rate, spin; /* spin: of a rotation, be it an angular velocity or a torque */
} quantities[] = {
    {"coordinate", OF_JOINT, 0, 0, 0},      {"coordinate_velocity", OF_JOINT, 0, 1, 0},
    {"position", OF_BODY, 1, 0, 0},         {"velocity", OF_BODY, 1, 1, 0},
    {"angular_velocity", OF_BODY, 1, 1, 1}, {"state", OF_STATE, 0, 0, 0},
    {"force", OF_REACTION, 1, 0, 0},        {"torque", OF_REACTION, 1, 0, 1},
    {"force_value", OF_REACTION, 0, 0, 0},
};
static const char *const elements[] = {"body", "joint", "state", "joint"};

static const char *const axes[] = {"x", "y", "z"};

static int axis_of(const char *text)
{
    for (int i = 0; i < LEN(axes); ++i) {
        if (strcmp(text, axes[i]) == 0) {
            return i;
        }
    }
    return -1;
}

/* Its number; -1: there is none. */
static int quantity_of(const char *text)
{
    for (int k = 0; k < LEN(quantities); ++k) {
        if (strcmp(text, quantities[k].name) == 0) {
            return k;
        }
    }
    return -1;
}

/* Why a quantity that is an output is no input, and what to take instead; NULL: there is more to say. */
static const char *instead_of(const char *text)
{
    if (strstr(text, "acceleration") != NULL) {
        return "accelerations follow from the forces, so a force cannot follow from them; take the reactions of the "
               "same instant (joint.force.x, joint.torque.z), a force of type armature, or a state with "
               "x' = (v - x)/T, whose rate is the acceleration behind a filter; or sample it by an event with 'every'";
    }
    if (strstr(text, "energy") != NULL || strstr(text, "work") != NULL) {
        return "it is a sum over the whole model; write it from positions and velocities (\"m*g*z + m/2*vz^2\"), let a "
               "state add up a power, or sample it by an event with 'every'";
    }
    return NULL;
}

static dal_status no_quantity(const io_loader *L, const io_node *at, const char *text)
{
    const char *words[LEN(quantities)], *instead = instead_of(text);
    if (instead != NULL) {
        return dal_io_fail(L, at, "an input cannot be '%.100s': %s", text, instead);
    }
    for (int k = 0; k < LEN(quantities); ++k) {
        words[k] = quantities[k].name;
    }
    char hint[DAL_HINT_SIZE];
    return dal_io_fail(
        L, at,
        "an input cannot be '%.100s'%s; it is joint.coordinate, joint.coordinate_velocity, "
        "name.state, joint.force_value, a component like body.position.x, body.velocity.y, "
        "body.angular_velocity.z, joint.force.x, joint.torque.z, or an output of the model that has a name and is one "
        "of these; anything else can be sampled by an event with 'every'",
        text, dal_hint(hint, dal_nearest(text, words, LEN(quantities))));
}

/* ---- outputs as inputs ------------------------------------------------------------------------ */

/* An output that is looked for by its name, and where it goes as an input. */
struct io_wanted {
    const io_node *at; /* where it is asked for */
    const char *name;
    int axis; /* the component behind the name; -1: none */
    dal_input *in;
    char *element; /* IO_TEXT: for the name of a joint */
    int found;
};

/* The component that is meant: behind the name of the output, or its own. */
static dal_status component_of(const io_loader *L, const io_node *output, const io_wanted *w, int *axis)
{
    char text[IO_TEXT] = "";
    int own = 0;
    DAL_TRY(dal_io_text_if(L, text, &own, output, "component"));
    *axis = own ? axis_of(text) : w->axis;
    if (own && *axis < 0) {
        return dal_io_fail(L, w->at, "the output '%.100s' is a %.50s: inputs are components x, y and z", w->name, text);
    }
    return own && w->axis >= 0
               ? dal_io_fail(L, w->at, "the output '%.100s' is one number: leave the last letter off", w->name)
               : DAL_OK;
}

static dal_status take_joint(io_loader *L, const io_node *output, const io_wanted *w, int reaction)
{
    io_node child;
    DAL_TRY(dal_io_need(&child, L, output, "joint"));
    DAL_TRY(dal_io_name(L, w->element, &child));
    *(reaction ? &w->in->reaction : &w->in->joint) = w->element;
    return !reaction && dal_io_member(&child, output, "coordinate")
               ? dal_io_coordinate(L, &w->in->coordinate, &w->in->axis, &child)
               : DAL_OK;
}

static dal_status take_output(io_loader *L, const io_node *output, const io_wanted *w)
{
    char text[IO_TEXT], frame[IO_TEXT] = "world";
    io_node child;
    int axis;
    DAL_TRY(dal_io_need(&child, L, output, "quantity"));
    DAL_TRY(dal_io_text(L, text, &child));
    DAL_TRY(dal_io_text_if(L, frame, NULL, output, "axes"));
    DAL_TRY(component_of(L, output, w, &axis));
    const int k = quantity_of(text);
    const input_of of = k >= 0 ? quantities[k].of : OF_STATE;
    const char *owner = of == OF_BODY ? "body" : "joint", *other = of == OF_BODY ? "joint" : "body";
    if (of == OF_STATE || !dal_io_member(&child, output, owner) || dal_io_member(&child, output, other) ||
        strcmp(frame, "world") != 0) {
        const char *instead = instead_of(text);
        return instead != NULL
                   ? dal_io_fail(L, w->at, "the output '%.100s' cannot be an input: %s", w->name, instead)
                   : dal_io_fail(
                         L, w->at,
                         "the output '%.100s' cannot be an input: that is the position, velocity or angular velocity "
                         "of a body in axes of the world, the coordinate, coordinate_velocity, force, torque or "
                         "force_value of a joint; anything else can be sampled by an event with 'every'",
                         w->name);
    }
    if (quantities[k].axes != (axis >= 0)) {
        return dal_io_fail(L, w->at, quantities[k].axes ? "write \"%s.x\", y or z" : "write \"%s\"", w->name);
    }
    w->in->rate = quantities[k].rate;
    w->in->spin = quantities[k].spin;
    w->in->axis = axis;
    w->in->coordinate = quantities[k].spin ? DAL_COORDINATE_ROTATION : DAL_COORDINATE_DEFAULT;
    if (of != OF_BODY) {
        return take_joint(L, output, w, of == OF_REACTION);
    }
    w->in->coordinate = DAL_COORDINATE_TRANSLATION;
    DAL_TRY(dal_io_body_place(L, &w->in->body_b, &w->in->frame_b, output));
    return w->in->body_b > 0 ? DAL_OK : dal_io_fail(L, w->at, "the output '%.100s' is of the ground", w->name);
}

static dal_status visit_output(io_loader *L, const io_node *output)
{
    char name[IO_TEXT];
    io_node child;
    DAL_TRY(dal_io_look(L, output));
    if (L->wanted->found || !dal_io_member(&child, output, "name")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_name(L, name, &child));
    L->wanted->found = strcmp(name, L->wanted->name) == 0;
    if (!L->wanted->found) {
        return DAL_OK;
    }
    const io_identity before = dal_io_record_as(L, (io_identity){"outputs", name, output});
    const dal_status st = take_output(L, output, L->wanted);
    (void)dal_io_record_as(L, before);
    return st;
}

/* Look for an output of the model, or of the part, to which the force belongs. */
static dal_status find_output(const io_loader *L, io_wanted *w)
{
    io_loader walk = *L; // outside of all repetitions
    walk.index = NULL;
    walk.elements = 0;
    walk.wanted = w;
    return dal_io_everywhere(&walk, dal_io_model_of(L, w->at), "outputs", visit_output);
}

/* ---- inputs as texts -------------------------------------------------------------------------- */

/* "joint.coordinate" or "body.velocity.x": the name of the element stays, which may have points in it; what is behind it, or NULL, and
 * the axis, -1 if there is none. */
static const char *take_apart(char *text, int *axis)
{
    char *point = strrchr(text, '.');
    *axis = point != NULL ? axis_of(point + 1) : -1;
    if (*axis >= 0) {
        *point = '\0';
        point = strrchr(text, '.');
    }
    if (point == NULL) {
        return NULL;
    }
    *point = '\0';
    return point + 1;
}

static int is_element(const io_loader *L, const char *name)
{
    return dal_model_find_body(L->model, name) >= 0 || dal_model_find_joint(L->model, name) >= 0 ||
           dal_model_find_force(L->model, name) >= 0;
}

static dal_status take_reaction(const io_loader *L, const io_node *at, dal_input *in, const char *element, int axis)
{
    in->reaction = element;
    in->axis = axis;
    in->coordinate = in->spin ? DAL_COORDINATE_ROTATION : DAL_COORDINATE_DEFAULT;
    return dal_model_find_joint(L->model, element) >= 0 || dal_model_find_force(L->model, element) < 0
               ? DAL_OK
               : dal_io_fail(L, at,
                             "'%.100s' is a force: reactions of joints are inputs, what forces exert is not; let both "
                             "call a function of the model, or sample it by an event with 'every'",
                             element);
}

static dal_status read_short(const io_loader *L, const io_node *at, dal_input *in, char element[IO_TEXT])
{
    char name[IO_TEXT];
    int axis;
    DAL_TRY(dal_io_name(L, name, at));
    memcpy(element, name, IO_TEXT);
    const char *behind = take_apart(element, &axis), *quantity = behind != NULL ? behind : element;
    const int k = quantity_of(quantity);
    if (k < 0 || (quantities[k].of != OF_STATE && !is_element(L, element))) {
        io_wanted w = {.at = at, .name = name, .axis = -1, .in = in, .element = element};
        DAL_TRY(find_output(L, &w)); // a name may end in .x itself
        if (!w.found && axis >= 0) {
            *strrchr(name, '.') = '\0';
            w.axis = axis;
            DAL_TRY(find_output(L, &w));
        }
        if (w.found || k < 0) {
            return w.found ? DAL_OK : no_quantity(L, at, quantity);
        }
    }
    const input_of of = quantities[k].of;
    if (behind == NULL || quantities[k].axes != (axis >= 0)) {
        return dal_io_fail(L, at, quantities[k].axes ? "write \"%s.%s.x\", y or z" : "write \"%s.%s\"", elements[of],
                           quantities[k].name);
    }
    in->rate = quantities[k].rate;
    in->spin = quantities[k].spin;
    if (of == OF_REACTION) {
        return take_reaction(L, at, in, element, axis);
    }
    if (of != OF_BODY) {
        *(of == OF_JOINT ? &in->joint : &in->state) = element;
        return DAL_OK;
    }
    in->coordinate = DAL_COORDINATE_TRANSLATION;
    in->axis = axis;
    in->body_b = dal_model_find_body(L->model, element);
    return in->body_b > 0 ? DAL_OK : dal_io_no_element(L, at, "moving body", element, dal_model_body_name, 1);
}

/* Two frames, or a joint, and which of their coordinates. */
static dal_status read_long(io_loader *L, const io_node *at, dal_input *in, char element[IO_TEXT])
{
    int named, body[2];
    dal_frame *const frame[2] = {&in->frame_a, &in->frame_b};
    DAL_TRY(dal_io_read(L, in, NULL, at, dal_io_form("input")));
    io_node child;
    named = dal_io_member(&child, at, "joint");
    if (named) {
        DAL_TRY(dal_io_name(L, element, &child));
        in->joint = element;
        return DAL_OK;
    }
    DAL_TRY(dal_io_place(L, body, frame, at, in->coordinate == DAL_COORDINATE_LENGTH));
    in->body_a = body[0];
    in->body_b = body[1];
    return DAL_OK;
}

dal_status dal_io_input_name(const io_loader *L, const io_node *at, const char *name)
{
    if (!dal_expression_name(name) || strcmp(name, "t") == 0) {
        return dal_io_fail(L, at, "'%.100s' cannot be the name of an input: letters, digits and _, and not t", name);
    }
    return dal_io_variable(L, name) == NULL
               ? DAL_OK
               : dal_io_fail(L, at, "'%s' is a variable; choose another name for the input", name);
}

/* ---- forces ----------------------------------------------------------------------------------- */

static dal_status read_inputs(io_loader *L, const io_node *at, io_law *law, const char *names[])
{
    if (!dal_json_is(at->json, DAL_JSON_OBJECT)) {
        return dal_io_fail(L, at, "expected an object with an input for each name");
    }
    for (size_t k = 0; k < dal_json_members(at->json); ++k) {
        const io_node child = dal_io_item(at, k);
        if (law->n == DAL_INPUTS_MAX) {
            return dal_io_fail(L, at, "a force has at most %d inputs", DAL_INPUTS_MAX);
        }
        DAL_TRY(dal_io_input_name(L, &child, child.key));
        dal_input *in = &law->input[law->n];
        *in = (dal_input){.joint = NULL};
        DAL_TRY(dal_json_is(child.json, DAL_JSON_TEXT) ? read_short(L, &child, in, law->element[law->n])
                                                       : read_long(L, &child, in, law->element[law->n]));
        names[1 + law->n++] = child.key;
    }
    return DAL_OK;
}

static int calls(const dal_expression *e)
{
    int at = 0;
    return dal_expression_called(e, &at) > 0;
}

/* The expression, with the callback that evaluates it. */
static dal_status compile_value(io_loader *L, const io_node *at, const char *const *names, int n, dal_force *force,
                                const dal_expression **e)
{
    if (L->record == NULL) {
        dal_expression *made;
        DAL_TRY(dal_io_compile(L, &made, at, names, n));
        force->user = made;
        *e = made;
    } else {
        const io_bound *bound = NULL;
        DAL_TRY(dal_io_bind(L, &bound, force->parameter, at, names, n));
        force->user = (void *)bound;
        force->nparameters = bound->n;
        *e = bound->e;
    }
    const int live = L->record != NULL;
    if (calls(*e)) {
        force->calling_law = live ? call_bound : call;
        force->calling_break = live ? call_bound_break : call_break;
    } else {
        force->law = live ? evaluate_bound : evaluate;
        force->law_break = live ? bound_break : law_break;
    }
    return DAL_OK;
}

static dal_status read_value(io_loader *L, const io_node *at, const char *const *names, int n, dal_force *force,
                             const dal_expression **e)
{
    L->calls = 1;
    const dal_status st = compile_value(L, at, names, n, force, e);
    L->calls = 0;
    return st;
}

/* A number is an expression, too. */
static dal_status as_text(const io_loader *L, io_node *at)
{
    char *text;
    dal_json *json;
    DAL_TRY(dal_io_text_of(L, &text, &L->doc->pool, at));
    DAL_TAKE(&L->doc->pool, json, 1);
    *json = *at->json;
    json->kind = DAL_JSON_TEXT;
    json->of.text = text;
    at->json = json;
    return DAL_OK;
}

dal_status dal_io_law(io_loader *L, io_law *law, dal_force *force, const io_node *at)
{
    const char *names[1 + DAL_INPUTS_MAX] = {"t"};
    const dal_expression *e = NULL;
    io_node child;
    if (dal_io_member(&child, at, "inputs")) {
        DAL_TRY(read_inputs(L, &child, law, names));
    }
    DAL_TRY(dal_io_need(&child, L, at, "value"));
    if (dal_json_is(child.json, DAL_JSON_NUMBER)) {
        DAL_TRY(as_text(L, &child));
    }
    if (!dal_json_is(child.json, DAL_JSON_TEXT)) {
        return dal_io_fail(L, &child, "expected an expression of t and the inputs");
    }
    DAL_TRY(read_value(L, &child, names, 1 + law->n, force, &e));
    DAL_TRY(dal_io_check_arguments(L, &child, e, 1));
    for (int k = 0; k < law->n; ++k) {
        if (!dal_expression_uses(e, 1 + k)) {
            return dal_io_fail(L, at, "input '%s' is not used in the value; remove it", names[1 + k]);
        }
    }
    force->inputs = law->input;
    force->ninputs = law->n;
    return DAL_OK;
}
