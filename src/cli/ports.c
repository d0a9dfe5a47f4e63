#include "cli/ports.h"

#include <stdlib.h>
#include <string.h>

#include "dalembert/elements.h"

/* ---- lists of names --------------------------------------------------------------------------- */

static int count(const char *list)
{
    int n = list != NULL && list[0] != '\0';
    for (const char *at = list; n > 0 && *at != '\0'; ++at) {
        n += *at == ',';
    }
    return n;
}

/* Word k of a list, to be freed. */
static char *word(const char *list, int k)
{
    for (; k > 0; --k) {
        list = strchr(list, ',') + 1;
    }
    char *copy = cli_copy(list);
    copy[strcspn(copy, ",")] = '\0';
    return copy;
}

/* ---- inputs ----------------------------------------------------------------------------------- */

/* An element beside the given one whose value is a constant of its own. */
static int add_parallel(cli_model *m, const char *command, cli_port *port, const dal_force *like)
{
    char text[200];
    static const double zero[1] = {0.0};
    int number;
    const int loads = strcmp(like->type, "force") == 0 || strcmp(like->type, "torque") == 0;
    snprintf(text, sizeof text, "input %.150s", port->name);
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
    if (dal_model_add_function(m->model, &port->number, &value) == DAL_OK) {
        beside.function = port->number;
        if (dal_model_add_force(m->model, &number, &beside) == DAL_OK) {
            return CLI_OK;
        }
    }
    return cli_error(command, CLI_MODEL, "input '%s': %s", port->name, dal_ctx_message(m->ctx));
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

static int force_input(cli_model *m, const char *command, cli_port *port, int number)
{
    static const char *const types[] = {"actuator", "law", "force", "torque", "spring", "pd", "pid", "friction", NULL};
    dal_force info;
    if (dal_model_force_info(m->model, &info, number) != DAL_OK) {
        return cli_error(command, CLI_MODEL, "%s", dal_ctx_message(m->ctx));
    }
    port->unit = info.coordinate == DAL_COORDINATE_ROTATION ? "N m" : "N";
    if (strcmp(info.type, "force") == 0 || strcmp(info.type, "torque") == 0) {
        port->unit = "1"; // a factor of its vector
    }
    return is_one_of(info.type, types)
               ? add_parallel(m, command, port, &info)
               : cli_usage(command, "force '%s' of type %s cannot be an input: only forces with one value can",
                           port->name, info.type);
}

/* How many forces and joints use a function. */
static int users(const cli_model *m, int function)
{
    const dal_model_summary s = dal_model_report(m->model);
    int n = 0;
    for (int k = 0; k < s.forces; ++k) {
        dal_force info;
        n += dal_model_force_info(m->model, &info, k) == DAL_OK &&
             (info.function == function || info.characteristic == function);
    }
    for (int k = 0; k < s.joints; ++k) {
        dal_joint info;
        n += dal_model_joint_info(m->model, &info, k) == DAL_OK && info.function == function;
    }
    return n;
}

static int motion_input(const cli_model *m, const char *command, cli_port *port, int number)
{
    dal_joint info;
    if (dal_model_joint_info(m->model, &info, number) != DAL_OK || info.function <= 0) {
        return cli_usage(command, "joint '%s' cannot be an input: it prescribes no motion", port->name);
    }
    if (users(m, info.function) > 1) {
        return cli_usage(command, "motion '%s' shares its function '%s' with others: give it one of its own",
                         port->name, dal_model_function_name(m->model, info.function));
    }
    port->number = info.function;
    port->unit = info.coordinate == DAL_COORDINATE_ROTATION ? "rad" : "m";
    return CLI_OK;
}

static int read_input(cli_model *m, const char *command, cli_port *port)
{
    const int force = dal_model_find_force(m->model, port->name), joint = dal_model_find_joint(m->model, port->name);
    return force >= 0 ? force_input(m, command, port, force)
           : joint >= 0
               ? motion_input(m, command, port, joint)
               : cli_usage(command, "no input '%s': name a force or a prescribed motion of the model", port->name);
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

/* The output of a body (kind 0), joint (1) or force (2) of that name, if there is one: 1, else 0. */
static int try_owner(cli_model *m, dal_output o, const char *owner, int kind, int *number, int *known)
{
    o.body = kind == 0 ? dal_model_find_body(m->model, owner) : 0;
    o.joint = kind == 1 && dal_model_find_joint(m->model, owner) >= 0 ? owner : NULL;
    o.force = kind == 2 && dal_model_find_force(m->model, owner) >= 0 ? owner : NULL;
    if (o.body <= 0 && o.joint == NULL && o.force == NULL) {
        return 0;
    }
    *known = 1;
    return dal_model_add_output(m->model, number, &o) == DAL_OK;
}

/* "slider.position", "slider.position.x" that the model does not list: a quantity of a body, of a joint or of a force, or of the
 * model, or a component of one. The name of the element may have points in it. */
static int add_output(cli_model *m, const char *command, const char *name, int *number)
{
    dal_output o = {.name = name};
    char *owner = cli_copy(name);
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
        found = dal_model_add_output(m->model, number, &o) == DAL_OK;
    }
    for (int kind = 0; kind < 3 && last != NULL && !found; ++kind) {
        found = try_owner(m, o, owner, kind, number, &known);
    }
    const int code =
        found   ? CLI_OK
        : known ? cli_usage(command, "output '%s': %s", name, dal_ctx_message(m->ctx))
                : cli_usage(command, "no output '%s': '%s' is no body, joint or force of the model", name, owner);
    free(owner);
    return code;
}

int ports_prepare(cli_model *m, const char *command, void *user)
{
    cli_ports *p = user;
    const int ninputs = count(p->inputs), noutputs = count(p->outputs);
    int code = CLI_OK;
    p->input = cli_alloc((size_t)ninputs, sizeof *p->input);
    p->output = cli_alloc((size_t)noutputs, sizeof *p->output);
    for (int k = 0; k < ninputs && code == CLI_OK; ++k) {
        p->input[k].name = word(p->inputs, k);
        p->ninputs = k + 1;
        for (int i = 0; i < k && code == CLI_OK; ++i) {
            if (strcmp(p->input[i].name, p->input[k].name) == 0) {
                code = cli_usage(command, "input '%s' is named twice", p->input[k].name);
            }
        }
        code = code != CLI_OK ? code : read_input(m, command, &p->input[k]);
    }
    for (int k = 0; k < noutputs && code == CLI_OK; ++k) {
        char *name = word(p->outputs, k);
        p->output[k] = find_output(m->model, name);
        p->noutputs = k + 1;
        code = p->output[k] < 0 ? add_output(m, command, name, &p->output[k]) : CLI_OK;
        free(name);
    }
    return code;
}

/* ---- values ----------------------------------------------------------------------------------- */

/* The numbers of a function that a constant is added to: the first n coefficients, or all values of a table; 0: none. */
static int movable(const dal_function *f)
{
    static const char *const first[] = {"constant", "harmonic", "polynomial", NULL}, *const two[] = {"step", "ramp",
                                                                                                     NULL};
    return strcmp(f->type, "table") == 0 ? f->n : is_one_of(f->type, first) ? 1 : is_one_of(f->type, two) ? 2 : 0;
}

/* Keep the numbers of the function as they are; of a sum, those of its first term that can be moved. */
static int keep(cli_port *port, dal_data *data, const char *command)
{
    dal_function f;
    if (dal_data_get_function(data, &f, port->number) != DAL_OK) {
        return CLI_MODEL;
    }
    for (int k = 0; k < f.nf && strcmp(f.type, "sum") == 0; ++k) {
        dal_function term;
        if (dal_data_get_function(data, &term, f.f[k]) == DAL_OK && movable(&term) > 0) {
            port->number = f.f[k];
            f = term;
            break;
        }
    }
    port->moved = movable(&f);
    if (port->moved == 0) {
        return cli_usage(command,
                         "input '%s': nothing can be added to a function of type %s; make it a sum with the constant 0",
                         port->name, f.type);
    }
    const int table = strcmp(f.type, "table") == 0;
    port->values = cli_alloc((size_t)f.n, sizeof *port->values);
    memcpy(port->values, table ? f.y : f.c, (size_t)f.n * sizeof *port->values);
    port->numbers = cli_alloc((size_t)f.n, sizeof *port->numbers);
    return CLI_OK;
}

int ports_bind(cli_ports *p, const cli_model *m, dal_data *data, const char *command)
{
    p->data = data;
    p->model = m->model;
    p->all = cli_alloc((size_t)dal_model_output_size(m->model), sizeof *p->all);
    for (int k = 0; k < p->noutputs; ++k) {
        p->nvalues += dal_model_output_info(m->model, p->output[k]).n;
    }
    for (int k = 0; k < p->ninputs; ++k) {
        const int code = keep(&p->input[k], data, command);
        if (code != CLI_OK) {
            return code == CLI_MODEL ? cli_error(command, code, "%s", dal_ctx_message(m->ctx)) : code;
        }
    }
    return CLI_OK;
}

dal_status ports_set(int k, double offset, void *user)
{
    const cli_ports *p = user;
    const cli_port *port = &p->input[k];
    dal_function f;
    DAL_TRY(dal_data_get_function(p->data, &f, port->number));
    for (int i = 0; i < f.n; ++i) {
        port->numbers[i] = port->values[i] + (i < port->moved ? offset : 0.0);
    }
    if (strcmp(f.type, "table") == 0) {
        f.y = port->numbers;
    } else {
        f.c = port->numbers;
    }
    return dal_data_set_function(p->data, port->number, &f);
}

dal_status ports_read(double *y, const dal_point *at, void *user)
{
    const cli_ports *p = user;
    DAL_TRY(dal_model_outputs(p->model, p->data, p->all, at));
    for (int k = 0, to = 0; k < p->noutputs; ++k) {
        const dal_output_info info = dal_model_output_info(p->model, p->output[k]);
        memcpy(y + to, p->all + info.first, (size_t)info.n * sizeof *y);
        to += info.n;
    }
    return DAL_OK;
}

void ports_output_name(char *buffer, size_t size, const cli_ports *p, int k)
{
    for (int o = 0; o < p->noutputs; ++o) {
        const dal_output_info info = dal_model_output_info(p->model, p->output[o]);
        if (k < info.n) {
            char part[32] = "";
            dal_model_output_component(p->model, part, sizeof part, p->output[o], k);
            snprintf(buffer, size, "%s%s%s", info.name, part[0] != '\0' ? "." : "", part);
            return;
        }
        k -= info.n;
    }
}

const char *ports_output_unit(const cli_ports *p, int k)
{
    for (int o = 0; o < p->noutputs; ++o) {
        const dal_output_info info = dal_model_output_info(p->model, p->output[o]);
        if (k < info.n) {
            return info.unit;
        }
        k -= info.n;
    }
    return "";
}

void ports_release(cli_ports *p)
{
    for (int k = 0; k < p->ninputs; ++k) {
        free(p->input[k].name);
        free(p->input[k].values);
        free(p->input[k].numbers);
    }
    free(p->input);
    free(p->output);
    free(p->all);
    *p = (cli_ports){0};
}
