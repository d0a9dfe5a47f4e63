/* Inputs and outputs of a linear model by name. An input is one of the model, or the value of a function: that of a prescribed motion,
 * or a constant of an actuator or a load that is added beside the force of that name. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "dalembert/elements.h"
#include "dalembert/linear.h"

enum { NAME = 256 };

typedef struct input {
    dal_port port;
    int number;      /* from 1 on: of an input of the model; 0: it is a function */
    int function;    /* its index */
    double *values;  /* its parameters as they are */
    double *changed; /* and with the input */
    int moved;       /* how many of them the input is added to */
} input;

struct dal_ports {
    dal_ctx *ctx;
    dal_model *model;
    dal_data *data;
    char *names[2]; /* lists of inputs and outputs, cut at the commas */
    input *in;
    int ninputs;
    int *output; /* of the model */
    int noutputs;
    dal_port *out; /* values of the outputs */
    int nvalues;
    double *all; /* values of all outputs of the model */
};

static dal_status no_memory(dal_ctx *ctx)
{
    return dal_fail(ctx, DAL_ENOMEM, "no memory for inputs and outputs");
}

/* A list cut at its commas; *n: how many words. */
static char *cut_list(dal_ctx *ctx, const char *list, int *n)
{
    const size_t size = strlen(list) + 1;
    char *copy = dal_alloc(ctx, size);
    *n = list[0] != '\0';
    for (size_t i = 0; i < size && copy != NULL; ++i) {
        copy[i] = list[i] == ',' ? '\0' : list[i];
        *n += list[i] == ',';
    }
    return copy;
}

static const char *next_word(const char *word)
{
    return word + strlen(word) + 1;
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* An element beside the given one whose value is a constant of its own. */
static dal_status add_parallel(dal_ports *p, input *in, const dal_force *like)
{
    char text[200];
    static const double zero[1] = {0.0};
    int number;
    const int loads = strcmp(like->type, "force") == 0 || strcmp(like->type, "torque") == 0;
    snprintf(text, sizeof text, "input %.150s", in->port.name);
    const dal_function value = {.name = text, .type = "constant", .c = zero, .n = 1};
    dal_force beside = {.name = text,
                        .type = loads ? like->type : "actuator",
                        .body_a = like->body_a,
                        .body_b = like->body_b,
                        .frame_a = like->frame_a,
                        .frame_b = like->frame_b,
                        .coordinate = like->coordinate,
                        .axis = like->axis,
                        .follower = like->follower};
    memcpy(beside.vector, like->vector, sizeof beside.vector);
    dal_status st = dal_model_add_function(p->model, &in->function, &value);
    beside.function = in->function;
    st = st == DAL_OK ? dal_model_add_force(p->model, &number, &beside) : st;
    return st == DAL_OK ? DAL_OK : dal_fail_in(p->ctx, st, "input '%s'", in->port.name);
}

static int is_one_of(const char *text, const char *const *words)
{
    for (; *words != NULL; ++words) {
        if (strcmp(text, *words) == 0) {
            return 1;
        }
    }
    return 0;
}

static dal_status force_input(dal_ports *p, input *in, int number)
{
    static const char *const types[] = {"actuator", "law", "force", "torque", "spring", "pd", "pid", "friction", NULL};
    dal_force info;
    DAL_TRY(dal_model_force_info(p->model, &info, number));
    in->port.unit = info.coordinate == DAL_COORDINATE_ROTATION ? "N m" : "N";
    if (strcmp(info.type, "force") == 0 || strcmp(info.type, "torque") == 0) {
        in->port.unit = "1"; // a factor of its vector
    }
    return is_one_of(info.type, types)
               ? add_parallel(p, in, &info)
               : dal_fail(p->ctx, DAL_EOPTION,
                          "force '%s' of type %s cannot be an input: only forces with one value can", in->port.name,
                          info.type);
}

/* How many forces and joints use a function. */
static int users(const dal_model *model, int function)
{
    const dal_model_summary s = dal_model_report(model);
    int n = 0;
    for (int k = 0; k < s.forces; ++k) {
        dal_force info;
        n += dal_model_force_info(model, &info, k) == DAL_OK &&
             (info.function == function || info.characteristic == function);
    }
    for (int k = 0; k < s.joints; ++k) {
        dal_joint info;
        n += dal_model_joint_info(model, &info, k) == DAL_OK && info.function == function;
    }
    return n;
}

static dal_status motion_input(dal_ports *p, input *in, int number)
{
    dal_joint info;
    if (dal_model_joint_info(p->model, &info, number) != DAL_OK || info.function <= 0) {
        return dal_fail(p->ctx, DAL_EOPTION, "joint '%s' cannot be an input: it prescribes no motion", in->port.name);
    }
    if (users(p->model, info.function) > 1) {
        return dal_fail(p->ctx, DAL_EOPTION, "motion '%s' shares its function '%s' with others: give it one of its own",
                        in->port.name, dal_model_function_name(p->model, info.function));
    }
    in->function = info.function;
    in->port.unit = info.coordinate == DAL_COORDINATE_ROTATION ? "rad" : "m";
    return DAL_OK;
}

static dal_status read_input(dal_ports *p, int k)
{
    input *in = &p->in[k];
    const char *name = in->port.name;
    const int force = dal_model_find_force(p->model, name), joint = dal_model_find_joint(p->model, name);
    for (int i = 0; i < dal_model_input_count(p->model); ++i) {
        const dal_system_input own = dal_model_input(p->model, i);
        in->number = strcmp(own.name, name) == 0 ? i + 1 : in->number;
        in->port.unit = in->number == i + 1 ? own.unit : in->port.unit;
    }
    for (int i = 0; i < k; ++i) {
        if (strcmp(p->in[i].port.name, name) == 0) {
            return dal_fail(p->ctx, DAL_EOPTION, "input '%s' is named twice", name);
        }
    }
    return in->number > 0 ? DAL_OK
           : force >= 0   ? force_input(p, in, force)
           : joint >= 0   ? motion_input(p, in, joint)
                          : dal_fail(p->ctx, DAL_EOPTION,
                                     "no input '%s': name an input, a force or a prescribed motion of the model", name);
}

/* ---- outputs ---------------------------------------------------------------------------------- */

static int find_output(const dal_model *model, const char *name)
{
    for (int k = 0; k < dal_model_output_count(model); ++k) {
        if (strcmp(dal_model_output_info(model, k).name, name) == 0) {
            return k;
        }
    }
    return -1;
}

/* The last piece of "a.b.c", which is cut off; NULL if there is but one. */
static char *cut(char *text)
{
    char *point = strrchr(text, '.');
    if (point != NULL) {
        *point = '\0';
    }
    return point != NULL ? point + 1 : NULL;
}

static int is_quantity(const char *text)
{
    return text != NULL && dal_element_type_find("outputs", text) >= 0;
}

/* "blade@0.7", if there is such a beam */
static int is_place(const dal_model *model, const char *text)
{
    const char *at = strrchr(text, '@');
    char beam[NAME];
    snprintf(beam, sizeof beam, "%.*s", at != NULL ? (int)(at - text) : 0, text);
    return at != NULL && dal_model_find_beam(model, beam) >= 0;
}

/* The output of a body (kind 0), joint (1), force (2) or beam (3) of that name, if there is one: 1, else 0. */
static int try_owner(dal_model *model, dal_output o, const char *owner, int kind, int *number, int *known)
{
    o.body = kind == 0 ? dal_model_find_body(model, owner) : 0;
    o.joint = kind == 1 && dal_model_find_joint(model, owner) >= 0 ? owner : NULL;
    o.force = kind == 2 && dal_model_find_force(model, owner) >= 0 ? owner : NULL;
    o.beam = kind == 3 && is_place(model, owner) ? owner : NULL;
    if (o.body <= 0 && o.joint == NULL && o.force == NULL && o.beam == NULL) {
        return 0;
    }
    *known = 1;
    return dal_model_add_output(model, number, &o) == DAL_OK;
}

/* "slider.position", "slider.position.x" that the model does not list: a quantity of a body, of a joint or of a force, or of the
 * model, or a component of one. The name of the element may have points in it. */
static dal_status add_output(dal_ports *p, const char *name, int *number)
{
    dal_output o = {.name = name};
    char owner[NAME];
    snprintf(owner, sizeof owner, "%s", name);
    const char *last = cut(owner);
    int known = 0, found = 0;
    if (last != NULL && !is_quantity(last)) {
        const char *point = strrchr(owner, '.');
        if (is_quantity(point != NULL ? point + 1 : owner)) {
            o.component = last;
            last = cut(owner);
        }
    }
    o.quantity = last != NULL ? last : owner;
    if (last == NULL) {
        known = 1;
        found = dal_model_add_output(p->model, number, &o) == DAL_OK;
    }
    for (int kind = 0; kind < 4 && last != NULL && !found; ++kind) {
        found = try_owner(p->model, o, owner, kind, number, &known);
    }
    if (known && !found) {
        const int memory = dal_ctx_status(p->ctx) == DAL_ENOMEM;
        return dal_fail_in(p->ctx, memory ? DAL_ENOMEM : DAL_EOPTION, "output '%s'", name);
    }
    return found
               ? DAL_OK
               : dal_fail(p->ctx, DAL_EOPTION,
                          "no output '%s': '%s' is no body, joint, force or place of a beam of the model", name, owner);
}

static dal_status prepare(dal_ports *p, const char *inputs, const char *outputs)
{
    p->names[0] = cut_list(p->ctx, inputs != NULL ? inputs : "", &p->ninputs);
    p->ninputs = inputs != NULL ? p->ninputs : dal_model_input_count(p->model);
    p->names[1] = cut_list(p->ctx, outputs != NULL ? outputs : "", &p->noutputs);
    p->in = dal_alloc_zero(p->ctx, (size_t)p->ninputs * sizeof *p->in);
    p->output = dal_alloc_zero(p->ctx, (size_t)p->noutputs * sizeof *p->output);
    if (p->names[0] == NULL || p->names[1] == NULL || p->in == NULL || p->output == NULL) {
        return no_memory(p->ctx);
    }
    const char *name = p->names[0];
    for (int k = 0; k < p->ninputs; ++k, name = inputs != NULL ? next_word(name) : name) {
        p->in[k].port.name = inputs != NULL ? name : dal_model_input(p->model, k).name;
        DAL_TRY(read_input(p, k));
    }
    name = p->names[1];
    for (int k = 0; k < p->noutputs; ++k, name = next_word(name)) {
        p->output[k] = find_output(p->model, name);
        DAL_TRY(p->output[k] < 0 ? add_output(p, name, &p->output[k]) : DAL_OK);
    }
    return DAL_OK;
}

dal_status dal_ports_create(dal_ports **out, dal_ctx *ctx, dal_model *model, const char *inputs, const char *outputs)
{
    DAL_NEED_AS(ctx, out, "ports");
    *out = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, model);
    dal_ports *p = dal_alloc_zero(ctx, sizeof *p);
    if (p == NULL) {
        return no_memory(ctx);
    }
    *p = (dal_ports){.ctx = ctx, .model = model};
    const dal_status st = prepare(p, inputs, outputs);
    if (st != DAL_OK) {
        dal_ports_destroy(p);
        return st;
    }
    *out = p;
    return DAL_OK;
}

/* ---- values ----------------------------------------------------------------------------------- */

/* The numbers of a function that a constant is added to: the first n coefficients, or all values of a table; 0: none. */
static int movable(const dal_function *f)
{
    static const char *const first[] = {"constant", "harmonic", "polynomial", NULL}, *const two[] = {"step", "ramp",
                                                                                                     NULL};
    return strcmp(f->type, "table") == 0 ? f->n : is_one_of(f->type, first) ? 1 : is_one_of(f->type, two) ? 2 : 0;
}

static dal_status keep_values(dal_ports *p, input *in, const double *values, int n)
{
    dal_free(p->ctx, in->values);
    in->values = dal_alloc(p->ctx, 2 * (size_t)n * sizeof *in->values);
    if (in->values == NULL) {
        return no_memory(p->ctx);
    }
    in->changed = in->values + n;
    if (values != NULL) {
        memcpy(in->values, values, (size_t)n * sizeof *values);
    }
    return DAL_OK;
}

/* Keep the inputs of the model, or the parameters of the function, as they are; of a sum, those of its first term that can be moved. */
static dal_status keep(dal_ports *p, input *in)
{
    dal_function f;
    if (in->number > 0) {
        const int n = dal_data_system(p->data)->ninputs;
        DAL_TRY(keep_values(p, in, NULL, n));
        for (int i = 0; i < n; ++i) {
            in->values[i] = dal_data_input(p->data, i).value;
        }
        return DAL_OK;
    }
    DAL_TRY(dal_data_get_function(p->data, &f, in->function));
    for (int k = 0; k < f.nf && strcmp(f.type, "sum") == 0; ++k) {
        dal_function term;
        if (dal_data_get_function(p->data, &term, f.f[k]) == DAL_OK && movable(&term) > 0) {
            in->function = f.f[k];
            f = term;
            break;
        }
    }
    in->moved = movable(&f);
    if (in->moved == 0) {
        return dal_fail(p->ctx, DAL_EOPTION,
                        "input '%s': nothing can be added to a function of type %s; make it a sum with the constant 0",
                        in->port.name, f.type);
    }
    return keep_values(p, in, strcmp(f.type, "table") == 0 ? f.y : f.c, f.n);
}

static dal_status set_input(int k, double offset, void *user)
{
    const dal_ports *p = user;
    const input *in = &p->in[k];
    const dal_system *sys = dal_data_system(p->data);
    dal_function f;
    if (in->number > 0) { // a small change may be beyond its limits
        for (int i = 0; i < sys->ninputs; ++i) {
            in->changed[i] = in->values[i] + (i == in->number - 1 ? offset : 0.0);
        }
        return sys->life.set_inputs(p->data, in->changed, sys->user);
    }
    DAL_TRY(dal_data_get_function(p->data, &f, in->function));
    for (int i = 0; i < f.n; ++i) {
        in->changed[i] = in->values[i] + (i < in->moved ? offset : 0.0);
    }
    *(strcmp(f.type, "table") == 0 ? &f.y : &f.c) = in->changed;
    return dal_data_set_function(p->data, in->function, &f);
}

static dal_status read_outputs(double *y, const dal_point *at, void *user)
{
    const dal_ports *p = user;
    DAL_TRY(dal_model_outputs(p->model, p->data, p->all, at));
    for (int k = 0; k < p->noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(p->model, p->output[k]);
        memcpy(y, p->all + info.first, (size_t)info.n * sizeof *y);
        y += info.n;
    }
    return DAL_OK;
}

/* Names of all values of the outputs. */
static dal_status name_values(dal_ports *p)
{
    p->nvalues = 0;
    for (int k = 0; k < p->noutputs; ++k) {
        p->nvalues += dal_model_output_info(p->model, p->output[k]).n;
    }
    dal_free(p->ctx, p->out);
    p->out = dal_alloc_zero(p->ctx, (size_t)p->nvalues * (sizeof *p->out + NAME));
    if (p->out == NULL) {
        return no_memory(p->ctx);
    }
    char *name = (char *)(p->out + p->nvalues);
    for (int k = 0, to = 0; k < p->noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(p->model, p->output[k]);
        for (int i = 0; i < info.n; ++i, ++to, name += NAME) {
            char part[32] = "";
            dal_model_output_component(p->model, part, sizeof part, p->output[k], i);
            snprintf(name, NAME, "%s%s%s", info.name, part[0] != '\0' ? "." : "", part);
            p->out[to] = (dal_port){name, info.unit};
        }
    }
    return DAL_OK;
}

dal_status dal_ports_bind_(dal_ports *p, dal_linear_spec *spec, dal_data *data, size_t size)
{
    DAL_NEED_AS(NULL, p, "ports");
    DAL_NEED(p->ctx, spec);
    DAL_NEED(p->ctx, data);
    p->data = data;
    dal_free(p->ctx, p->all);
    p->all = dal_alloc_zero(p->ctx, (size_t)dal_model_output_size(p->model) * sizeof *p->all);
    if (p->all == NULL) {
        return no_memory(p->ctx);
    }
    DAL_TRY(name_values(p));
    for (int k = 0; k < p->ninputs; ++k) {
        DAL_TRY(keep(p, &p->in[k]));
    }
    const dal_linear_spec all = {
        .ninputs = p->ninputs, .noutputs = p->nvalues, .set_input = set_input, .outputs = read_outputs, .user = p};
    dal_hand_out(spec, size, &all, sizeof all);
    return DAL_OK;
}

dal_port dal_ports_input(const dal_ports *p, int k)
{
    return p != NULL && k >= 0 && k < p->ninputs ? p->in[k].port : (dal_port){"", ""};
}

dal_port dal_ports_output(const dal_ports *p, int k)
{
    return p != NULL && k >= 0 && k < p->nvalues ? p->out[k] : (dal_port){"", ""};
}

void dal_ports_destroy(dal_ports *p)
{
    if (p == NULL) {
        return;
    }
    for (int k = 0; k < p->ninputs && p->in != NULL; ++k) {
        dal_free(p->ctx, p->in[k].values);
    }
    dal_free(p->ctx, p->names[0]);
    dal_free(p->ctx, p->names[1]);
    dal_free(p->ctx, p->in);
    dal_free(p->ctx, p->output);
    dal_free(p->ctx, p->out);
    dal_free(p->ctx, p->all);
    dal_free(p->ctx, p);
}
