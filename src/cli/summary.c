/* The end of a run in words, and as a JSON document (docs/format/json.md). */
#include <math.h>
#include <string.h>

#include "cli/json.h"
#include "cli/run.h"

static const char *option_text(const dal_options *opt, const char *name, char buffer[128])
{
    const dal_option_table *table = dal_options_table();
    buffer[0] = '\0';
    for (int i = 0; i < table->n; ++i) {
        if (strcmp(table->option[i].name, name) == 0) {
            dal_options_format(buffer, 128, &table->option[i], opt);
        }
    }
    return buffer;
}

static void method_line(const run_job *job, FILE *out)
{
    const dal_options *opt = &job->model.opt;
    char a[128], b[128], c[128];
    if (opt->integrator == DAL_INTEGRATOR_LOBATTO) {
        fprintf(out, "  method        Lobatto IIIA-IIIB, %d stages, order %d\n", opt->stages, 2 * opt->stages - 2);
        return;
    }
    if (opt->integrator == DAL_INTEGRATOR_RK) {
        fprintf(out, "  method        explicit Runge-Kutta (Dormand-Prince), order %d\n", opt->order);
        return;
    }
    if (opt->integrator == DAL_INTEGRATOR_AUTO) {
        const dal_stats st = dal_sim_stats(job->sim);
        fprintf(out, "  method        auto: explicit Runge-Kutta, order %d", opt->order);
        if (st.explicit_steps < st.steps) {
            fprintf(out, "; generalized-alpha in %ld of %ld steps: stability would have limited them",
                    st.steps - st.explicit_steps, st.steps);
        }
        fprintf(out, "\n");
        return;
    }
    fprintf(out, "  method        generalized-alpha, %s, rho_inf = %s, sigma = %s\n",
            option_text(opt, "formulation", a), option_text(opt, "rho_inf", b), option_text(opt, "sigma", c));
}

static void step_line(const run_job *job, FILE *out)
{
    const dal_stats st = dal_sim_stats(job->sim);
    const double steps = st.steps > 0 ? (double)st.steps : 1.0;
    fprintf(out, "  steps         %ld", st.steps);
    if (job->model.opt.step == DAL_STEP_ADAPTIVE && st.steps == 0) {
        fprintf(out, ", %ld rejected", st.rejected);
    } else if (job->model.opt.step == DAL_STEP_ADAPTIVE) {
        fprintf(out, ", h = %.3g .. %.3g s, %ld rejected, tolerance %g", st.h_smallest, st.h_largest, st.rejected,
                job->model.opt.step_rtol);
    } else {
        fprintf(out, ", h = %.6g s", job->model.opt.h);
        if (st.rejected > 0) {
            fprintf(out, ", cut to %.3g s where steps failed (%ld times)", st.h_smallest, st.rejected);
        }
    }
    fprintf(out, "\n  Newton        %ld iterations (%.2f per step), %ld Jacobians", st.newton_iterations,
            (double)st.newton_iterations / steps, st.jacobians);
    if (st.newton_modified > 0) {
        fprintf(out, "; auto: modified in %ld of %ld steps", st.newton_modified, st.steps);
    }
    fprintf(out, "\n");
    if (st.solver_fallbacks > 0) {
        fprintf(out, "  linear solver %s; sparse took over in %ld factorisations\n", st.linear_solver,
                st.solver_fallbacks);
    }
}

static void files_line(const run_job *job, FILE *out)
{
    if (job->path[0] != '\0' && job->results_failed) {
        cli_print_to(out, "  results       NOT complete: what could be written is in the .part files of %s\n",
                     job->path);
    } else if (job->path[0] != '\0' && job->format == DAL_RESULTS_CSV) {
        cli_print_to(out, "  results       %s/ (", job->path);
        for (int k = 0, n = 0; k < TABLE_COUNT; ++k) {
            if (job->chosen[k]) {
                fprintf(out, "%s%s.csv", n++ > 0 ? ", " : "", dal_record_table_name(k));
            }
        }
        fprintf(out, ")\n");
    } else if (job->path[0] != '\0') {
        cli_print_to(out, "  results       %s\n", job->path);
    }
    if (job->drawn) {
        cli_print_to(out, "  picture       %s", job->plot);
        if (job->curves.left_out > 0) {
            fprintf(out, " (without %d of %d outputs; --plot-outputs chooses)", job->curves.left_out,
                    job->model.noutputs);
        }
        fprintf(out, "\n");
    }
    if (job->shown) {
        cli_print_to(out, "  page          %s\n", job->html);
    }
}

/* What a reader of the numbers should know; NULL: nothing. */
static const char *rounding_warning(const run_job *job, char buffer[400])
{
    const dal_stats st = dal_sim_stats(job->sim);
    if (!(st.lambda_rounding > DAL_ROUNDING_WARNING)) {
        return NULL;
    }
    snprintf(buffer, 400,
             "steps are below what double precision allows: reactions have an error of about %.0e by rounding "
             "(larger h, formulation = ggl or integrator = lobatto)",
             st.lambda_rounding);
    return buffer;
}

/* Warnings that came up during the run; that of rounding with its last figures. */
static int worth_telling(const run_job *job, int i)
{
    const char *text = job->model.warning[i];
    return text != NULL && strstr(text, "below what double precision allows") == NULL;
}

/* Joints that are open by now. */
static void release_lines(const run_job *job, FILE *out, double t)
{
    dal_joint info;
    for (int k = 0; dal_model_joint_name(job->model.model, k) != NULL; ++k) {
        if (dal_model_joint_info(job->model.model, &info, k) == DAL_OK && info.release != 0.0 && t >= info.release) {
            cli_print_to(out, "  released      joint '%s' at t = %.9g s\n", info.name, fmax(info.release, 0.0));
        }
    }
}

int run_initial_moved(const run_job *job)
{
    const int given = job->model.assembly.velocities_given > 0;
    return job->initial.position_part > 1e-6 || (given && job->initial.velocity_part > 1e-6);
}

/* Energy and its balance, if the system tells what was fed in and dissipated. */
static void energy_line(const dal_monitor *mo, FILE *out)
{
    const double over = dal_monitor_turned_over(mo);
    if (isnan(mo->energy0)) {
        return;
    }
    fprintf(out, "  energy        %.9g J at the start, %.9g J at the end, largest change %.2e J\n", mo->energy0,
            mo->energy, mo->max_drift);
    if (!isnan(over)) {
        fprintf(out, "  balance       energy + dissipated - fed in is off by %.2g J of %.3g J turned over\n",
                mo->balance.residual, over);
    }
}

void run_summary(const run_job *job, FILE *out)
{
    const cli_model *m = &job->model;
    const dal_monitor *mo = &job->monitor;
    const char *title = dal_document_title(m->doc);
    const double t = dal_sim_state(job->sim).t;
    title = title != NULL ? title : "";
    cli_print_to(out, "%s%s%.*s\n", m->name, title[0] != '\0' ? ": " : "", (int)strcspn(title, "\n"),
                 title); // its first line
    fprintf(out, "  simulated     %.9g s of %.9g s\n", t - mo->t0, m->t_end - mo->t0);
    if (m->assembly.iterations > 0) {
        fprintf(out, "  assembly      moved by %.3g; largest gap %.1e before, %.1e after\n", m->assembly.moved,
                m->assembly.before, m->assembly.after);
    }
    if (m->assembly.velocities_kept > 0) {
        fprintf(out, "  velocities    %d given and kept, the others completed from them\n",
                m->assembly.velocities_kept);
    }
    if (run_initial_moved(job)) {
        fprintf(out,
                "  initial       projected: positions moved by %.2g of the model's length, velocities by %.2g %%\n",
                job->initial.position_part, 100.0 * job->initial.velocity_part);
    }
    if (job->moved_body != NULL) {
        cli_print_to(out, "  equilibrium   body '%s' moved by %.3g m to it, the farthest; turned by up to %.3g rad\n",
                     job->moved_body, job->moved, job->turned);
    }
    method_line(job, out);
    step_line(job, out);
    release_lines(job, out, t);
    if (dal_system_rows(m->sys) > 0) {
        fprintf(out, "  constraints   largest residual: position %.1e, velocity %.1e\n", mo->max_position,
                mo->max_velocity);
    }
    energy_line(mo, out);
    char text[400];
    if (rounding_warning(job, text) != NULL) {
        fprintf(out, "  warning       %s\n", text);
    }
    for (int i = 0; i < m->nwarnings; ++i) {
        if (worth_telling(job, i)) {
            cli_print_to(out, "  warning       %s\n", m->warning[i]);
        }
    }
    if (dal_monitor_warning(mo, text, sizeof text, &m->opt) > 0) {
        fprintf(out, "  warning       %s\n", text);
    }
    fprintf(out, "  wall time     %.3g s, %.3g times real time\n", job->wall,
            job->wall > 0.0 ? (t - mo->t0) / job->wall : 0.0);
    files_line(job, out);
}

/* ---- the document ----------------------------------------------------------------------------- */

static void put_body(cli_json *j, const cli_model *m, const dal_body_channels *b)
{
    static const double none[4] = {1.0, 0.0, 0.0, 0.0}, zero[3] = {0.0, 0.0, 0.0};
    cli_json_open(j, b->name, '{', 1);
    cli_json_reals(j, "x", b->x >= 0 ? m->values + b->x : zero, 3);
    cli_json_reals(j, "quat", b->quat >= 0 ? m->values + b->quat : none, 4);
    cli_json_reals(j, "v", b->v >= 0 ? m->values + b->v : zero, 3);
    cli_json_reals(j, "omega", b->omega >= 0 ? m->values + b->omega : zero, 3);
    cli_json_close(j, '}');
}

static void put_final(cli_json *j, const run_job *job)
{
    const cli_model *m = &job->model;
    const dal_state s = dal_sim_state(job->sim);
    cli_json_open(j, "final", '{', 0);
    cli_json_real(j, "t", s.t);
    cli_json_reals(j, "q", s.q, m->sys->group->nq);
    cli_json_reals(j, "v", s.v, m->sys->group->nv);
    cli_json_reals(j, "lambda", s.la, dal_system_rows(m->sys));
    cli_json_close(j, '}');
    cli_json_open(j, "bodies", '{', 0);
    for (int i = 0; i < m->nbodies; ++i) {
        put_body(j, m, &m->body[i]);
    }
    cli_json_close(j, '}');
}

static void put_quality(cli_json *j, const run_job *job)
{
    const dal_monitor *mo = &job->monitor;
    cli_json_open(j, "max_residual", '{', 1);
    cli_json_real(j, "position", mo->max_position);
    cli_json_real(j, "velocity", mo->max_velocity);
    cli_json_close(j, '}');
    cli_json_open(j, "energy", '{', 1);
    cli_json_real(j, "initial", mo->energy0);
    cli_json_real(j, "final", mo->energy);
    cli_json_real(j, "max_drift", isnan(mo->energy0) ? NAN : mo->max_drift);
    cli_json_close(j, '}');
    const double over = dal_monitor_turned_over(mo);
    cli_json_open(j, "balance", '{', 1);
    cli_json_real(j, "residual", isnan(over) ? NAN : mo->balance.residual);
    cli_json_real(j, "turned_over", over);
    cli_json_close(j, '}');
}

static void put_warnings(cli_json *j, const run_job *job)
{
    char text[400];
    cli_json_open(j, "warnings", '[', 0);
    if (rounding_warning(job, text) != NULL) {
        cli_json_text(j, NULL, text);
    }
    for (int i = 0; i < job->model.nwarnings; ++i) {
        if (worth_telling(job, i)) {
            cli_json_text(j, NULL, job->model.warning[i]);
        }
    }
    if (dal_monitor_warning(&job->monitor, text, sizeof text, &job->model.opt) > 0) {
        cli_json_text(j, NULL, text);
    }
    cli_json_close(j, ']');
}

void run_document(const run_job *job, FILE *out)
{
    const cli_model *m = &job->model;
    const dal_stats st = dal_sim_stats(job->sim);
    cli_json j = cli_json_to(out);
    cli_json_open(&j, NULL, '{', 0);
    cli_json_text(&j, "model", m->name);
    cli_json_options(&j, "options", &m->opt);
    cli_json_real(&j, "t_end", m->t_end);
    cli_json_whole(&j, "steps", st.steps);
    cli_json_whole(&j, "rejected", st.rejected);
    cli_json_whole(&j, "explicit_steps", st.explicit_steps);
    cli_json_whole(&j, "newton_iterations", st.newton_iterations);
    cli_json_whole(&j, "jacobians", st.jacobians);
    cli_json_whole(&j, "newton_modified", st.newton_modified);
    cli_json_text(&j, "linear_solver", st.linear_solver != NULL ? st.linear_solver : "");
    cli_json_whole(&j, "solver_fallbacks", st.solver_fallbacks);
    cli_json_real(&j, "wall_s", job->wall);
    cli_json_real(&j, "lambda_rounding", st.lambda_rounding);
    if (job->moved_body != NULL) {
        cli_json_open(&j, "equilibrium", '{', 1);
        cli_json_text(&j, "body", job->moved_body);
        cli_json_real(&j, "moved", job->moved);
        cli_json_real(&j, "turned", job->turned);
        cli_json_close(&j, '}');
    }
    put_warnings(&j, job);
    put_final(&j, job);
    put_quality(&j, job);
    cli_json_open(&j, "outputs", '{', 0);
    for (int i = 0; i < m->noutputs; ++i) {
        const dal_output_info info = dal_model_output_info(m->model, i);
        cli_json_reals(&j, info.name, m->values + info.first, info.n);
    }
    cli_json_close(&j, '}');
    if (job->failure != NULL) {
        cli_json_text(&j, "error", job->failure);
    } else if (job->stopped_by != 0) {
        cli_json_text(&j, "error", "stopped by a signal");
    }
    cli_json_close(&j, '}');
    cli_json_end(&j);
}
