/* dalembert linearize: the model as a linear system with inputs and outputs. */
#include <string.h>

#include "cli/answer.h"
#include "cli/linearize.h"
#include "dalembert/results.h"

CLI_OWNS(dal_ports)
CLI_OWNS(dal_linear)

const char *linearize_about(const dal_linear_info *i)
{
    return i->steady == DAL_STEADINESS_AT_REST  ? "a state of rest"
           : i->steady == DAL_STEADINESS_STEADY ? "a steady motion"
                                                : "the instant of a motion that is not steady, its coefficients frozen";
}

static void put_ports(cli_answer *a, const cli_linearize_job *j)
{
    cli_answer *inputs = answer_list(a, "inputs", 1), *outputs = answer_list(a, "outputs", 1);
    cli_answer *input_units = answer_list(a, "input_units", 1), *output_units = answer_list(a, "output_units", 1);
    cli_answer *in = answer_list(a, ".in", 0), *out = answer_list(a, ".out", 0); // of the text
    for (int k = 0; k < j->info.ninputs + j->info.noutputs; ++k) {
        const int output = k >= j->info.ninputs;
        const dal_port port = output ? dal_ports_output(j->ports, k - j->info.ninputs) : dal_ports_input(j->ports, k);
        answer_text(output ? outputs : inputs, NULL, port.name);
        answer_text(output ? output_units : input_units, NULL, port.unit);
        answer_line(output ? out : in, NULL, "name %s unit %s", port.name, port.unit);
    }
}

/* Of the descriptor form: changes of position and velocity, multipliers. */
static void put_unknowns(cli_answer *list, const cli_linearize_job *j)
{
    const dal_system *sys = j->m.sys;
    const int nv = j->info.nv;
    for (int k = 0; k < j->info.E.ncols; ++k) {
        char name[200] = "";
        if (k < 2 * nv) {
            sys->names.velocity(name, sizeof name, k % nv, sys->user);
        } else {
            sys->names.row(name, sizeof name, j->info.row[k - 2 * nv], sys->user);
        }
        answer_text(list, NULL,
                    cli_text("%s of %s",
                             k < nv       ? "displacement"
                             : k < 2 * nv ? "velocity"
                                          : "multiplier",
                             name));
    }
}

/* ---- matrices --------------------------------------------------------------------------------- */

static dal_array sparse(const char *name, const dal_triplets *T)
{
    static const int none[1] = {0}; // a matrix without entries is sparse all the same
    return (dal_array){.name = name,
                       .rows = T->nrows,
                       .cols = T->ncols,
                       .x = T->x,
                       .nnz = T->n,
                       .row = T->n > 0 ? T->row : none,
                       .col = T->n > 0 ? T->col : none};
}

static dal_array dense(const char *name, const double *x, int rows, int cols)
{
    return (dal_array){.name = name, .rows = rows, .cols = cols, .x = x};
}

enum { MATRICES = 15 };

/* Those of the descriptor form, then those of the minimal form, as files call them; how many. */
static int list_matrices(dal_array list[MATRICES], const dal_linear_info *i)
{
    static const char *const rate[] = {"B", "D", "B_rate", "D_rate", "B_acceleration", "D_acceleration"};
    const int n = i->n, in = i->ninputs, out = i->noutputs, descriptors = 6;
    const dal_array first[] = {sparse("descriptor_E", &i->E),
                               sparse("descriptor_A", &i->Ad),
                               sparse("descriptor_B", &i->Bd),
                               sparse("descriptor_C", &i->Cd),
                               sparse("descriptor_C_rate", &i->C1),
                               sparse("descriptor_D", &i->Dd),
                               dense("A", i->A, n, n),
                               dense("C", i->C, out, n),
                               dense("transformation", i->states, 2 * i->nv, n)};
    memcpy(list, first, sizeof first);
    for (int k = 0; k < 3; ++k) {
        list[CLI_LEN(first) + 2 * k] = dense(rate[2 * k], i->B[k], n, in);
        list[CLI_LEN(first) + 2 * k + 1] = dense(rate[2 * k + 1], i->D[k], out, in);
    }
    return n == 0 ? descriptors : i->rates ? MATRICES : CLI_LEN(first) + 2;
}

static void put_matrix(cli_answer *to, cli_answer *descriptor, const dal_array *X)
{
    if (X->row == NULL) {
        answer_matrix(to, X->name, X->x, X->rows, X->cols);
        return;
    }
    cli_answer *a = answer_object(descriptor, strchr(X->name, '_') + 1, 0);
    answer_put(a, "rows %d columns %d", X->rows, X->cols);
    answer_wholes(a, "row", X->row, X->nnz);
    answer_wholes(a, "column", X->col, X->nnz);
    answer_reals(a, "value", X->x, X->nnz);
}

/* ---- the answer ------------------------------------------------------------------------------- */

static const cli_answer *answer(const cli_linearize_job *j)
{
    const dal_linear_info *i = &j->info;
    cli_answer *a = answer_create();
    answer_put(a, "model %s time %g steady %s axes %s states %d positions %d redundant %d", j->m.name, j->at.t,
               about_steady[i->steady], about_axes[i->axes], i->n, i->positions, i->redundant);
    answer_put(a, ".about %s .unknowns %d .E_entries %d .A_entries %d .velocities %d .first_order %d .rates? %d",
               linearize_about(i), i->E.nrows, i->E.n, i->Ad.n, i->velocities - i->first_order, i->first_order,
               i->rates);
    answer_texts(a, "warnings", j->m.warning, j->m.nwarnings, 0);
    put_ports(a, j);
    cli_answer *descriptor = answer_object(a, "descriptor", 0);
    dal_array all[MATRICES];
    for (int k = 0, n = list_matrices(all, i); k < n; ++k) {
        put_matrix(a, descriptor, &all[k]);
    }
    put_unknowns(answer_list(descriptor, "unknowns", 0), j);
    return a;
}

/* ---- HDF5 ------------------------------------------------------------------------------------- */

static void write_arrays(const cli_linearize_job *j, const cli_answer *a, const char *path)
{
    dal_array all[MATRICES];
    int n = 0;
    for (int k = 0, count = list_matrices(all, &j->info); k < count; ++k) {
        all[n] = all[k];
        n += all[k].row != NULL || (all[k].x != NULL && all[k].rows > 0 && all[k].cols > 0);
    }
    const dal_note note[] = {{"model", j->m.name},
                             {"inputs", answer_lines(a, "inputs")},
                             {"outputs", answer_lines(a, "outputs")},
                             {"unknowns", answer_lines(a, "descriptor.unknowns")}};
    answer_save_arrays(path, all, n, note, CLI_LEN(note));
}

/* ---- the command ------------------------------------------------------------------------------ */

/* What was asked for is wrong, or the model is. */
static void ensure(const cli_linearize_job *j, dal_status st)
{
    if (st == DAL_EOPTION) {
        cli_usage("%s", dal_ctx_message(j->m.ctx));
    }
    cli_try(j->m.ctx, st, CLI_MODEL);
}

static void prepare(cli_model *m, void *user)
{
    cli_linearize_job *j = user;
    ensure(j,
           dal_ports_create(&j->ports, m->ctx, m->model, cli_value(j->args, "inputs"), cli_value(j->args, "outputs")));
    CLI_OWN(dal_ports, j->ports);
}

static int command(const cli_args *args)
{
    const char *path = cli_value(args, "output"), *html = cli_value(args, "html");
    cli_linearize_job *j = cli_alloc(1, sizeof *j);
    dal_linear_spec spec;
    *j = (cli_linearize_job){.args = args, .m = {.prepare = prepare, .user = j}};
    if (path != NULL && !cli_is_hdf5(path)) {
        cli_usage("--output '%s': matrices are written as HDF5, to a file that ends in .h5 or .hdf5", path);
    }
    cli_check_files(args, 1);
    model_open(&j->m, args);
    j->sim = about_start(&j->m, &j->at, args, 0);
    ensure(j, dal_ports_bind(j->ports, &spec, dal_sim_data(j->sim)));
    CLI_CREATE(dal_linear, j->linear, CLI_INTEGRATION, j->m.ctx, j->m.sys, dal_sim_data(j->sim), &j->at, &spec);
    j->info = dal_linear_about(j->linear);
    const cli_answer *a = answer(j);
    answer_tell(a, args, NULL);
    if (path != NULL) {
        write_arrays(j, a, path);
    }
    if (html != NULL) {
        linearize_page(j, html);
    }
    return CLI_OK;
}

const cli_command cli_linearize = {.name = "linearize", .run = command, .tells_failure = 1};
