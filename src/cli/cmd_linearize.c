/* dalembert linearize: the model as a linear system with inputs and outputs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/html.h"
#include "cli/json.h"
#include "cli/linearize.h"
#include "dalembert/results.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    {"inputs", 'i', "NAME,...", "forces and prescribed motions of the model"},
    {"outputs", 'y', "NAME,...", "outputs of the model, or BODY.position, JOINT.coordinate, FORCE.force_value ..."},
    CLI_FLAG_ABOUT,
    {"output", 'o', "FILE.h5", "all matrices as an HDF5 file"},
    {"html", 0, "FILE", "page with poles and transfer functions, for any browser", CLI_HTML},
    CLI_FLAG_OUTSIDE,
    CLI_FLAG_JSON,
};

static int command(const cli_args *args);

const cli_command cli_linearize = {
    .name = "linearize",
    .place = 12,
    .summary = "linear model with inputs and outputs: descriptor and minimal form",
    .about = "Inputs: of an actuator, a law, a spring, control or friction what is added to its force along the "
             "coordinate; of\n"
             "a force or torque a factor of its vector that is added; of a motion what is added to the prescribed "
             "coordinate.\n"
             "Matrices are those of changes from the state.\n"
             "Exit codes: 0 ok, 2 usage, 3 bad model, 4 no answer, 5 files.",
    .examples = "  dalembert linearize crank.json --inputs drive --outputs slider.position -o crank_linear.h5\n"
                "  dalembert linearize pendulum.json --inputs motor --outputs hinge.coordinate --json",
    .flag = flags,
    .nflags = CLI_LEN(flags),
    .run = command,
};

static const char *const axes_words[] = {"auto", "world", "turning", "body"};
static const char *const steady_words[] = {"rest", "steady", "frozen"};
static const char *const suffix[] = {"", "_rate", "_acceleration"};

const char *linearize_about(const dal_linear_info *i)
{
    return i->steady == DAL_STEADINESS_AT_REST  ? "a state of rest"
           : i->steady == DAL_STEADINESS_STEADY ? "a steady motion"
                                                : "the instant of a motion that is not steady, its coefficients frozen";
}

const char *linearize_axes(const dal_linear_info *i)
{
    return axes_words[i->axes];
}

/* ---- names ------------------------------------------------------------------------------------ */

/* Of unknown k of the descriptor form: changes of position and velocity, multipliers. */
static void unknown_name(char buffer[256], const cli_linearize_job *j, int k)
{
    const dal_system *sys = j->m.sys;
    char name[200] = "";
    const int nv = j->info.nv;
    if (k < 2 * nv) {
        sys->names.velocity(name, sizeof name, k % nv, sys->user);
        snprintf(buffer, 256, "%s of %s", k < nv ? "displacement" : "velocity", name);
    } else {
        sys->names.row(name, sizeof name, j->info.row[k - 2 * nv], sys->user);
        snprintf(buffer, 256, "multiplier of %s", name);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------- */

/* A dense matrix as a list of its rows. */
static void json_matrix(cli_json *out, const char *key, const double *X, int m, int n)
{
    double *row = cli_alloc((size_t)n, sizeof *row);
    cli_json_open(out, key, '[', 0);
    for (int i = 0; i < m; ++i) {
        for (int k = 0; k < n; ++k) {
            row[k] = X[(size_t)i + (size_t)k * (size_t)m];
        }
        cli_json_reals(out, NULL, row, n);
    }
    cli_json_close(out, ']');
    free(row);
}

static void json_triplets(cli_json *out, const char *key, const dal_triplets *T)
{
    cli_json_open(out, key, '{', 0);
    cli_json_whole(out, "rows", T->nrows);
    cli_json_whole(out, "columns", T->ncols);
    for (int which = 0; which < 2; ++which) {
        cli_json_open(out, which == 0 ? "row" : "column", '[', 1);
        for (int k = 0; k < T->n; ++k) {
            cli_json_whole(out, NULL, which == 0 ? T->row[k] : T->col[k]);
        }
        cli_json_close(out, ']');
    }
    cli_json_reals(out, "value", T->x, T->n);
    cli_json_close(out, '}');
}

static void json_descriptor(cli_json *out, const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    char name[256];
    cli_json_open(out, "descriptor", '{', 0);
    json_triplets(out, "E", &i->E);
    json_triplets(out, "A", &i->Ad);
    json_triplets(out, "B", &i->Bd);
    json_triplets(out, "C", &i->Cd);
    json_triplets(out, "C_rate", &i->C1);
    json_triplets(out, "D", &i->Dd);
    cli_json_open(out, "unknowns", '[', 0);
    for (int k = 0; k < i->E.ncols; ++k) {
        unknown_name(name, j, k);
        cli_json_text(out, NULL, name);
    }
    cli_json_close(out, ']');
    cli_json_close(out, '}');
}

static void json_names(cli_json *out, const cli_linearize_job *j)
{
    char name[256];
    cli_json_open(out, "inputs", '[', 1);
    for (int k = 0; k < j->ports.ninputs; ++k) {
        cli_json_text(out, NULL, j->ports.input[k].name);
    }
    cli_json_close(out, ']');
    cli_json_open(out, "outputs", '[', 1);
    for (int k = 0; k < j->ports.nvalues; ++k) {
        ports_output_name(name, sizeof name, &j->ports, k);
        cli_json_text(out, NULL, name);
    }
    cli_json_close(out, ']');
    cli_json_open(out, "input_units", '[', 1);
    for (int k = 0; k < j->ports.ninputs; ++k) {
        cli_json_text(out, NULL, j->ports.input[k].unit);
    }
    cli_json_close(out, ']');
    cli_json_open(out, "output_units", '[', 1);
    for (int k = 0; k < j->ports.nvalues; ++k) {
        cli_json_text(out, NULL, ports_output_unit(&j->ports, k));
    }
    cli_json_close(out, ']');
}

static void print_json(const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    cli_json out = cli_json_to(stdout);
    cli_json_open(&out, NULL, '{', 0);
    cli_json_text(&out, "model", j->m.name);
    cli_json_real(&out, "time", j->at.t);
    cli_json_text(&out, "steady", steady_words[i->steady]);
    cli_json_text(&out, "axes", axes_words[i->axes]);
    cli_json_whole(&out, "states", i->n);
    cli_json_whole(&out, "positions", i->positions);
    cli_json_whole(&out, "redundant", i->redundant);
    about_json_warnings(&out, &j->m);
    json_names(&out, j);
    json_descriptor(&out, j);
    if (i->n > 0) {
        json_matrix(&out, "A", i->A, i->n, i->n);
        json_matrix(&out, "C", i->C, i->noutputs, i->n);
        json_matrix(&out, "transformation", i->states, 2 * i->nv, i->n);
    }
    for (int k = 0; k < (i->n == 0 ? 0 : i->rates ? 3 : 1); ++k) {
        char key[32];
        snprintf(key, sizeof key, "B%s", suffix[k]);
        json_matrix(&out, key, i->B[k], i->n, i->ninputs);
        snprintf(key, sizeof key, "D%s", suffix[k]);
        json_matrix(&out, key, i->D[k], i->noutputs, i->ninputs);
    }
    cli_json_close(&out, '}');
    cli_json_end(&out);
}

static void print(const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    char name[256];
    cli_print("%s\n", j->m.name);
    printf("  about         %s at t = %g, %s axes\n", linearize_about(i), j->at.t, linearize_axes(i));
    printf("  descriptor    %d unknowns: E %d, A %d entries\n", i->E.nrows, i->E.n, i->Ad.n);
    if (i->n > 0) {
        printf("  minimal       %d states, %d of positions and %d of velocities", i->n, i->positions,
               i->velocities - i->first_order);
        printf(i->first_order > 0 ? " and %d of first order\n" : "\n", i->first_order);
    } else {
        printf("  minimal       none: more than 600 velocities\n");
    }
    if (i->redundant > 0) {
        printf("  redundant     %d rows, left out\n", i->redundant);
    }
    if (i->rates) {
        printf("  inputs        their first and second derivatives take part: motions are prescribed\n");
    }
    for (int k = 0; k < j->ports.ninputs; ++k) {
        cli_print("  input         %s [%s]\n", j->ports.input[k].name, j->ports.input[k].unit);
    }
    for (int k = 0; k < i->noutputs && i->n > 0; ++k) {
        ports_output_name(name, sizeof name, &j->ports, k);
        const char *unit = ports_output_unit(&j->ports, k);
        cli_print(unit[0] != '\0' ? "  output        %s [%s]\n" : "  output        %s\n", name, unit);
    }
}

/* ---- HDF5 ------------------------------------------------------------------------------------- */

static void dense(dal_array *list, int *n, const char *name, const double *x, int rows, int cols)
{
    if (x != NULL && rows > 0 && cols > 0) {
        list[(*n)++] = (dal_array){.name = name, .rows = rows, .cols = cols, .x = x};
    }
}

static void sparse(dal_array *list, int *n, const char *name, const dal_triplets *T)
{
    static const int none[1] = {0}; // a matrix without entries is sparse all the same
    list[(*n)++] = (dal_array){.name = name,
                               .rows = T->nrows,
                               .cols = T->ncols,
                               .x = T->x,
                               .nnz = T->n,
                               .row = T->n > 0 ? T->row : none,
                               .col = T->n > 0 ? T->col : none};
}

/* Names, one a line. To be freed. */
static char *names(const cli_linearize_job *j, int which)
{
    const int n = which == 0 ? j->ports.ninputs : which == 1 ? j->ports.nvalues : j->info.E.ncols;
    char *text = cli_alloc((size_t)n + 1, 256), *at = text;
    for (int k = 0; k < n; ++k) {
        char name[256] = "";
        if (which == 0) {
            snprintf(name, sizeof name, "%.250s", j->ports.input[k].name);
        } else if (which == 1) {
            ports_output_name(name, sizeof name, &j->ports, k);
        } else {
            unknown_name(name, j, k);
        }
        at += snprintf(at, 256, "%s%.250s", k > 0 ? "\n" : "", name);
    }
    return text;
}

static int write_arrays(const cli_linearize_job *j, const char *path)
{
    const dal_linear_info *i = &j->info;
    dal_array list[16];
    int n = 0;
    dense(list, &n, "A", i->A, i->n, i->n);
    dense(list, &n, "B", i->B[0], i->n, i->ninputs);
    dense(list, &n, "C", i->C, i->noutputs, i->n);
    dense(list, &n, "D", i->D[0], i->noutputs, i->ninputs);
    dense(list, &n, "B_rate", i->rates ? i->B[1] : NULL, i->n, i->ninputs);
    dense(list, &n, "D_rate", i->rates ? i->D[1] : NULL, i->noutputs, i->ninputs);
    dense(list, &n, "B_acceleration", i->rates ? i->B[2] : NULL, i->n, i->ninputs);
    dense(list, &n, "D_acceleration", i->rates ? i->D[2] : NULL, i->noutputs, i->ninputs);
    dense(list, &n, "transformation", i->states, 2 * i->nv, i->n);
    sparse(list, &n, "descriptor_E", &i->E);
    sparse(list, &n, "descriptor_A", &i->Ad);
    sparse(list, &n, "descriptor_B", &i->Bd);
    sparse(list, &n, "descriptor_C", &i->Cd);
    sparse(list, &n, "descriptor_C_rate", &i->C1);
    sparse(list, &n, "descriptor_D", &i->Dd);
    char *text[3] = {names(j, 0), names(j, 1), names(j, 2)};
    const dal_note note[] = {{"model", j->m.name}, {"inputs", text[0]}, {"outputs", text[1]}, {"unknowns", text[2]}};
    cli_make_folder_of(path);
    const dal_status st = dal_arrays_write(j->m.ctx, path, list, n, note, CLI_LEN(note));
    for (int k = 0; k < 3; ++k) {
        free(text[k]);
    }
    return st == DAL_OK ? CLI_OK : cli_error("linearize", CLI_IO, "%s", dal_ctx_message(j->m.ctx));
}

/* ---- the command ------------------------------------------------------------------------------ */

static int answer(cli_linearize_job *j, const cli_args *args)
{
    int code = about_start(&j->sim, &j->m, "linearize", cli_value(args, "about"));
    code = code != CLI_OK ? code : ports_bind(&j->ports, &j->m, dal_sim_data(j->sim), "linearize");
    if (code != CLI_OK) {
        return code;
    }
    const dal_linear_spec spec = {.ninputs = j->ports.ninputs,
                                  .noutputs = j->ports.nvalues,
                                  .set_input = ports_set,
                                  .outputs = ports_read,
                                  .user = &j->ports};
    about_note(&j->m, cli_value(args, "about"));
    j->at = about_point(j->sim);
    about_kinks(&j->m, dal_sim_data(j->sim), &j->at);
    if (dal_linear_create(&j->linear, j->m.ctx, j->m.sys, dal_sim_data(j->sim), &j->at, &spec) != DAL_OK) {
        return cli_error("linearize", CLI_INTEGRATION, "%s", dal_ctx_message(j->m.ctx));
    }
    j->info = dal_linear_about(j->linear);
    if (cli_given(args, "json")) {
        print_json(j);
    } else {
        print(j);
    }
    const char *path = cli_value(args, "output"), *html = cli_value(args, "html");
    code = path != NULL ? write_arrays(j, path) : CLI_OK;
    return code == CLI_OK && html != NULL ? linearize_page(j, html) : code;
}

static int command(const cli_args *args)
{
    cli_linearize_job j = {.m = {.prepare = ports_prepare},
                           .ports = {.inputs = cli_value(args, "inputs"), .outputs = cli_value(args, "outputs")}};
    j.m.user = &j.ports;
    const char *path = cli_value(args, "output"), *point = path != NULL ? strrchr(path, '.') : NULL;
    if (path != NULL && (point == NULL || (strcmp(point, ".h5") != 0 && strcmp(point, ".hdf5") != 0))) {
        return cli_usage("linearize",
                         "--output '%s': matrices are written as HDF5, to a file that ends in .h5 or .hdf5", path);
    }
    int code = cli_check_files(args, 1);
    code = code != CLI_OK ? code : model_open(&j.m, args);
    code = code != CLI_OK ? code : answer(&j, args);
    if (code == CLI_INTEGRATION && j.linear == NULL && cli_given(args, "json")) {
        cli_json_failure(j.m.name, cli_last_error());
    }
    dal_linear_destroy(j.linear);
    dal_sim_destroy(j.sim);
    model_release(&j.m);
    ports_release(&j.ports);
    return code;
}
