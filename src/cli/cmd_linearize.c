/* dalembert linearize: the model as a linear system with inputs and outputs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/linearize.h"
#include "dalembert/results.h"

static const cli_flag flags[] = {
    CLI_FLAG_SET,
    {"inputs", 'i', "NAME,...", "inputs, forces and prescribed motions of the model; default: its inputs"},
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

/* ---- the answer ------------------------------------------------------------------------------- */

static void put_sparse(cli_answer *to, const char *name, const dal_triplets *T)
{
    cli_answer *a = answer_object(to, name, 0);
    answer_put(a, "rows %d columns %d", T->nrows, T->ncols);
    answer_wholes(a, "row", T->row, T->n);
    answer_wholes(a, "column", T->col, T->n);
    answer_reals(a, "value", T->x, T->n);
}

static void put_ports(cli_answer *a, const cli_linearize_job *j)
{
    cli_answer *inputs = answer_list(a, "inputs", 1), *outputs = answer_list(a, "outputs", 1);
    cli_answer *input_units = answer_list(a, "input_units", 1), *output_units = answer_list(a, "output_units", 1);
    cli_answer *in = answer_hidden(a, "in"), *out = answer_hidden(a, "out"); // of the text
    for (int k = 0; k < j->info.ninputs + j->info.noutputs; ++k) {
        const int output = k >= j->info.ninputs;
        const dal_port port = output ? dal_ports_output(j->ports, k - j->info.ninputs) : dal_ports_input(j->ports, k);
        answer_text(output ? outputs : inputs, NULL, port.name);
        answer_text(output ? output_units : input_units, NULL, port.unit);
        answer_put(answer_object(output ? out : in, NULL, 0), "name %s unit %s", port.name, port.unit);
    }
}

/* Of the descriptor form: changes of position and velocity, multipliers. */
static void put_unknowns(cli_answer *list, const cli_linearize_job *j)
{
    const dal_system *sys = j->m.sys;
    const int nv = j->info.nv;
    for (int k = 0; k < j->info.E.ncols; ++k) {
        char text[256], name[200] = "";
        if (k < 2 * nv) {
            sys->names.velocity(name, sizeof name, k % nv, sys->user);
        } else {
            sys->names.row(name, sizeof name, j->info.row[k - 2 * nv], sys->user);
        }
        snprintf(text, sizeof text, "%s of %s", k < nv ? "displacement" : k < 2 * nv ? "velocity" : "multiplier", name);
        answer_text(list, NULL, text);
    }
}

/* The matrices of both forms, as they are called. */
typedef struct matrix {
    const char *name;
    const dal_triplets *sparse; /* of the descriptor form */
    const double *x;            /* of the minimal form, rows x cols */
    int rows, cols;
} matrix;

enum { MATRICES = 15 };

static int list_matrices(matrix list[MATRICES], const dal_linear_info *i)
{
    const int n = i->n, in = i->ninputs, out = i->noutputs;
    const matrix all[MATRICES] = {{"E", &i->E},
                                  {"A", &i->Ad},
                                  {"B", &i->Bd},
                                  {"C", &i->Cd},
                                  {"C_rate", &i->C1},
                                  {"D", &i->Dd},
                                  {"A", NULL, i->A, n, n},
                                  {"C", NULL, i->C, out, n},
                                  {"transformation", NULL, i->states, 2 * i->nv, n},
                                  {"B", NULL, i->B[0], n, in},
                                  {"D", NULL, i->D[0], out, in},
                                  {"B_rate", NULL, i->B[1], n, in},
                                  {"D_rate", NULL, i->D[1], out, in},
                                  {"B_acceleration", NULL, i->B[2], n, in},
                                  {"D_acceleration", NULL, i->D[2], out, in}};
    memcpy(list, all, sizeof all);
    return n == 0 ? 6 : i->rates ? MATRICES : 11;
}

static cli_answer *answer(const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    cli_answer *a = answer_create();
    answer_put(a, "model %s time %g steady %s axes %s states %d positions %d redundant %d", j->m.name, j->at.t,
               steady_words[i->steady], axes_words[i->axes], i->n, i->positions, i->redundant);
    answer_put(a, ".about %s .unknowns %d .E_entries %d .A_entries %d .velocities %d .first_order %d .rates? %d",
               linearize_about(i), i->E.nrows, i->E.n, i->Ad.n, i->velocities - i->first_order, i->first_order,
               i->rates);
    answer_texts(a, "warnings", j->m.warning, j->m.nwarnings);
    put_ports(a, j);
    cli_answer *descriptor = answer_object(a, "descriptor", 0);
    matrix all[MATRICES];
    const int n = list_matrices(all, i);
    for (int k = 0; k < n; ++k) {
        if (all[k].sparse != NULL) {
            put_sparse(descriptor, all[k].name, all[k].sparse);
        } else {
            answer_matrix(a, all[k].name, all[k].x, all[k].rows, all[k].cols);
        }
    }
    put_unknowns(answer_list(descriptor, "unknowns", 0), j);
    return a;
}

/* ---- HDF5 ------------------------------------------------------------------------------------- */

static int write_arrays(const cli_linearize_job *j, const cli_answer *a, const char *path)
{
    static const int none[1] = {0}; // a matrix without entries is sparse all the same
    matrix all[MATRICES];
    dal_array list[MATRICES];
    char name[MATRICES][32];
    int n = 0;
    for (int k = 0, count = list_matrices(all, &j->info); k < count; ++k) {
        const dal_triplets *T = all[k].sparse;
        snprintf(name[n], sizeof name[n], "%s%s", T != NULL ? "descriptor_" : "", all[k].name);
        if (T != NULL) {
            list[n] = (dal_array){.rows = T->nrows,
                                  .cols = T->ncols,
                                  .x = T->x,
                                  .nnz = T->n,
                                  .row = T->n > 0 ? T->row : none,
                                  .col = T->n > 0 ? T->col : none};
        } else {
            list[n] = (dal_array){.rows = all[k].rows, .cols = all[k].cols, .x = all[k].x};
        }
        list[n].name = name[n];
        n += T != NULL || (all[k].x != NULL && all[k].rows > 0 && all[k].cols > 0);
    }
    char *text[] = {answer_lines(a, "inputs"), answer_lines(a, "outputs"), answer_lines(a, "descriptor.unknowns")};
    const dal_note note[] = {{"model", j->m.name}, {"inputs", text[0]}, {"outputs", text[1]}, {"unknowns", text[2]}};
    cli_make_folder_of(path);
    const dal_status st = dal_arrays_write(j->m.ctx, path, list, n, note, CLI_LEN(note));
    for (int k = 0; k < CLI_LEN(text); ++k) {
        free(text[k]);
    }
    return st == DAL_OK ? CLI_OK : cli_error(CLI_IO, "%s", dal_ctx_message(j->m.ctx));
}

/* ---- the command ------------------------------------------------------------------------------ */

static int tell(cli_linearize_job *j, const cli_args *args)
{
    const char *path = cli_value(args, "output"), *html = cli_value(args, "html");
    cli_answer *a = answer(j);
    answer_tell(a, args, 0);
    const int code = path != NULL ? write_arrays(j, a, path) : CLI_OK;
    answer_release(a);
    return code == CLI_OK && html != NULL ? linearize_page(j, html) : code;
}

/* What was asked for is wrong, or the model is. */
static int failed(const cli_linearize_job *j, dal_status st)
{
    return st == DAL_EOPTION ? cli_usage("%s", dal_ctx_message(j->m.ctx))
                             : cli_error(CLI_MODEL, "%s", dal_ctx_message(j->m.ctx));
}

static int prepare(cli_model *m, void *user)
{
    cli_linearize_job *j = user;
    const dal_status st = dal_ports_create(&j->ports, m->ctx, m->model, j->inputs, j->outputs);
    return st == DAL_OK ? CLI_OK : failed(j, st);
}

static int linearize(cli_linearize_job *j, const cli_args *args)
{
    const char *about = cli_value(args, "about");
    dal_linear_spec spec;
    const int code = about_start(&j->sim, &j->m, about);
    const dal_status st = code == CLI_OK ? dal_ports_bind(j->ports, &spec, dal_sim_data(j->sim)) : DAL_OK;
    if (code != CLI_OK || st != DAL_OK) {
        return code != CLI_OK ? code : failed(j, st);
    }
    about_note(&j->m, about);
    j->at = about_point(j->sim);
    about_contacts(j->sim);
    about_kinks(&j->m, dal_sim_data(j->sim), &j->at);
    about_samples(&j->m);
    if (dal_linear_create(&j->linear, j->m.ctx, j->m.sys, dal_sim_data(j->sim), &j->at, &spec) != DAL_OK) {
        return cli_error(CLI_INTEGRATION, "%s", dal_ctx_message(j->m.ctx));
    }
    j->info = dal_linear_about(j->linear);
    return tell(j, args);
}

static int command(const cli_args *args)
{
    cli_linearize_job j = {
        .m = {.prepare = prepare}, .inputs = cli_value(args, "inputs"), .outputs = cli_value(args, "outputs")};
    j.m.user = &j;
    const char *path = cli_value(args, "output"), *point = path != NULL ? strrchr(path, '.') : NULL;
    if (path != NULL && (point == NULL || (strcmp(point, ".h5") != 0 && strcmp(point, ".hdf5") != 0))) {
        return cli_usage("--output '%s': matrices are written as HDF5, to a file that ends in .h5 or .hdf5", path);
    }
    int code = cli_check_files(args, 1);
    code = code != CLI_OK ? code : model_open(&j.m, args);
    code = code != CLI_OK ? code : linearize(&j, args);
    if (code == CLI_INTEGRATION && j.linear == NULL && cli_given(args, "json")) {
        answer_failure(j.m.name);
    }
    dal_linear_destroy(j.linear);
    dal_sim_destroy(j.sim);
    dal_ports_destroy(j.ports);
    model_release(&j.m);
    return code;
}
