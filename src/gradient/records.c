/* Records of the states of a run. What results are made from is kept of every state; the states themselves as far as memory allows:
 * of a longer run those of one segment at a time, which starts from a snapshot and is run again when it is needed. */
#include <string.h>

#include "base/vector.h"
#include "gradient/gradient_impl.h"
#include "sim/follow.h"
#include "system/mask.h"

/* ---- lines: t, kind of state, inputs of the plan -------------- ------------------------------- */

enum { LINE_TIME, LINE_KIND, LINE_INPUTS };

static double *line_of(const dal_gradient *g, long i)
{
    return g->line + (size_t)i * (size_t)(LINE_INPUTS + g->plan.ninputs);
}

double *dal_gr_inputs(const dal_gradient *g, long i)
{
    return line_of(g, i) + LINE_INPUTS;
}

double dal_gr_time(const dal_gradient *g, long i)
{
    return line_of(g, i)[LINE_TIME];
}

gr_kind dal_gr_kind(const dal_gradient *g, long i)
{
    return (gr_kind)line_of(g, i)[LINE_KIND];
}

int dal_gr_fresh(const dal_gradient *g, long i)
{
    return dal_gr_kind(g, i) == GR_START || dal_gr_kind(g, i) == GR_AFTER;
}

dal_status dal_gr_grow(const dal_gradient *g, double **x, long *room, long n, int stride)
{
    if (n < *room) {
        return DAL_OK;
    }
    const long more = *room > 0 ? 2 * *room : 256;
    const size_t one = (size_t)stride * sizeof **x;
    double *y = dal_alloc(g->ctx, (size_t)more * one);
    if (!y) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the states of %ld steps", more);
    }
    if (n > 0 && *x) {
        memcpy(y, *x, (size_t)n * one);
    }
    dal_free(g->ctx, *x);
    *x = y;
    *room = more;
    return DAL_OK;
}

/* ---- states: record of the method, memory ----------------------------------------------------- */

double *dal_gr_record(const dal_gradient *g, long i)
{
    return g->record + (size_t)(i - g->first) * (size_t)g->stride;
}

static void remember_by(dal_data *data, const dal_gradient *g, long i)
{
    if (g->sys->nmemory > 0) {
        memcpy(data->memory, dal_gr_record(g, i) + g->size, (size_t)g->sys->nmemory * sizeof(double));
    }
    dal_data_forget(data);
}

static void remember_twin(const gr_model *m, const dal_gradient *g, long i)
{
    remember_by(m->data, g, i);
}

void dal_gr_remember(const dal_gradient *g, long i)
{
    remember_by(dal_sim_data(g->sim), g, i);
    dal_gr_each_twin(g, remember_twin, i);
}

static void reset_twin(const gr_model *m, const dal_gradient *g, long i)
{
    (void)g, (void)i;
    dal_data_reset(m->data);
}

void dal_gr_reset(const dal_gradient *g)
{
    dal_data_reset(dal_sim_data(g->sim));
    dal_gr_each_twin(g, reset_twin, 0);
}

static void stretch_by(const gr_model *m, const dal_gradient *g, long i)
{
    if (m->sys->life.next_jump) {
        (void)m->sys->life.next_jump(dal_gr_time(g, i), 1, m->sys->user, m->data->work);
    }
}

void dal_gr_stretch(const dal_gradient *g, long i)
{
    stretch_by(&(gr_model){.sys = g->sys, .data = dal_sim_data(g->sim)}, g, i);
    dal_gr_each_twin(g, stretch_by, i);
}

/* Does a start follow at the same time? */
static int is_end(const dal_gradient *g, long i)
{
    return i + 1 < g->nrecords && dal_gr_fresh(g, i + 1);
}

void dal_gr_remember_all(const dal_gradient *g, long i)
{
    dal_gr_remember(g, i);
    dal_gr_stretch(g, is_end(g, i) ? i - 1 : i);
}

dal_point dal_gr_point(const dal_gradient *g, long i)
{
    return g->type->point(g->parts.method, dal_gr_record(g, i));
}

void dal_gr_records_clear(dal_gradient *g)
{
    for (int k = 0; k < g->nsegments; ++k) {
        dal_free(g->ctx, g->segment[k].snapshot);
        dal_free(g->ctx, g->segment[k].inputs);
    }
    g->nsegments = g->pending = 0;
    g->nrecords = g->first = g->held = 0;
}

/* Inputs of the plan at a point. */
static dal_status look(dal_gradient *g, double *inputs, const dal_point *at)
{
    dal_data *data = dal_sim_data(g->sim);
    dal_point room;
    DAL_TRY(dal_gr_outputs(g, g->outputs.y, dal_mask_point(g->parts.ev->sys, data, &room, at)));
    dal_gr_inputs_of(g, inputs, g->outputs.y, at->t);
    return DAL_OK;
}

/* Are results made from all states, or from the first and the last? */
static int watched(const dal_gradient *g)
{
    return g->plan.path || g->ndata > 0 || g->happens;
}

/* The same with another memory; forces that jump are those from state `from` on. */
static dal_status look_with(dal_gradient *g, double *inputs, const dal_point *at, const double *memory, long from)
{
    dal_data *data = dal_sim_data(g->sim);
    const size_t nmemory = (size_t)g->sys->nmemory;
    double *now = dal_alloc(g->ctx, (nmemory + 1) * sizeof *now);
    if (!now) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for a state");
    }
    memcpy(now, data->memory, nmemory * sizeof *now);
    memcpy(data->memory, memory, nmemory * sizeof *now);
    dal_data_forget(data);
    dal_gr_stretch(g, from);
    const dal_status st = look(g, inputs, at);
    memcpy(data->memory, now, nmemory * sizeof *now);
    dal_data_forget(data);
    dal_free(g->ctx, now);
    return st;
}

/* Room for one more record; *known: its line is there already. */
static dal_status one_more(dal_gradient *g, long *i, int *known)
{
    DAL_TRY(dal_gr_grow(g, &g->record, &g->room, g->held, g->stride));
    *i = g->first + g->held++;
    *known = *i < g->nrecords;
    if (!*known) {
        DAL_TRY(dal_gr_grow(g, &g->line, &g->room_lines, *i, LINE_INPUTS + g->plan.ninputs));
        g->nrecords = *i + 1;
    }
    return DAL_OK;
}

/* The current state; `end`: the one in which the last step ended, before a start was made there. It has the memory of the state
 * before, so that what acted during the step acts. */
static dal_status add_record(dal_gradient *g, int end, gr_kind kind)
{
    const dal_data *data = dal_sim_data(g->sim);
    const size_t nmemory = (size_t)g->sys->nmemory;
    long i;
    int known;
    DAL_TRY(one_more(g, &i, &known));
    double *x = dal_gr_record(g, i), *memory = x + g->size;
    g->type->record(g->parts.method, x, end);
    if (nmemory > 0) {
        memcpy(memory, end ? memory - g->stride : data->memory, nmemory * sizeof *memory);
    }
    if (known) {
        return DAL_OK;
    }
    line_of(g, i)[LINE_TIME] = x[0];
    line_of(g, i)[LINE_KIND] = kind;
    if (!watched(g) && i > 0) {
        return DAL_OK; // the last one is looked at in the end
    }
    const dal_point at = dal_gr_point(g, i);
    if (!end) {
        return look(g, dal_gr_inputs(g, i), &at);
    }
    DAL_TRY(look_with(g, dal_gr_inputs(g, i), &at, memory, i - 1));
    dal_gr_stretch(g, i);
    return DAL_OK;
}

/* ---- events ----------------------------------------------------------------------------------- */

/* A step that ends by an event or a break, as long as it can be interpolated: the state before that. Where joints are released any step
 * may be one. */
static dal_status follow(dal_sim *sim, double t0, double t1, void *user)
{
    dal_gradient *g = user;
    const dal_sim_parts now = dal_sim_parts_of(sim);
    double *x = g->before;
    (void)t0;
    const int whole = !now.fresh && t1 >= now.method->current->t;
    if ((whole && !g->sys->life.released) || g->before_known || g->nrecords == 0 || now.builds != g->parts.builds) {
        return DAL_OK; // the last: a step was taken back, and other rows hold already
    }
    g->before_known = 1;
    x[0] = t1;
    const dal_point part = g->type->point(now.method, x);
    const double *const places[4] = {part.q, part.v, part.vd, part.la};
    for (int k = 0; k < 4; ++k) {
        g->place[k] = (int)(places[k] - x);
    }
    g->before_rows = now.ev->nc;
    now.method->type->interpolate(now.method, x + g->place[0], x + g->place[1], x + g->place[2], x + g->place[3], t1);
    if (g->probe) {
        return DAL_OK;
    }
    const long last = g->first + g->held - 1;
    memcpy(x + g->size, dal_gr_record(g, last) + g->size, (size_t)g->sys->nmemory * sizeof *x);
    const dal_point at = {t1, x + g->place[0], x + g->place[1], x + g->place[2], x + g->place[3]};
    return look_with(g, x + g->stride, &at, x + g->size, last);
}

/* The state before an event. */
static dal_status add_before(dal_gradient *g)
{
    long i;
    int known;
    DAL_TRY(one_more(g, &i, &known));
    memcpy(dal_gr_record(g, i), g->before, (size_t)g->stride * sizeof *g->before);
    if (!known) {
        line_of(g, i)[LINE_TIME] = g->before[0];
        line_of(g, i)[LINE_KIND] = GR_BEFORE;
        dal_copy(dal_gr_inputs(g, i), g->before + g->stride, g->plan.ninputs);
    }
    g->before_known = 0;
    return DAL_OK;
}

/* The rows that are held, and sizes of records with them. */
static void set_sizes(dal_gradient *g)
{
    const int stride = g->stride;
    g->parts = dal_sim_parts_of(g->sim);
    g->size = g->type->size(g->parts.method);
    g->nc = g->nheld = g->parts.ev->nc;
    g->ny = 4 * g->nv + g->nc;
    g->stride = g->size + g->sys->nmemory;
    g->most = (long)(g->memory / 2 / ((size_t)g->stride * sizeof(double)));
    g->most = g->most < 8 ? 8 : g->most;
    if (g->stride > stride) {
        g->room = 0;
        dal_free(g->ctx, g->record);
        g->record = NULL;
    }
}

int dal_gr_happened(dal_gradient *g, const dal_sim *sim)
{
    const int before = g->logged;
    const dal_sim_parts now = dal_sim_parts_of(sim);
    (void)dal_sim_contact_events(sim, &g->logged);
    // a direction of sliding that turns is not noted; where forces jump, steps end by themselves
    const int within = now.fresh && now.method->end && now.method->end->t > now.method->current->t;
    return g->happens && (g->logged != before || within);
}

static dal_status changed(const dal_gradient *g)
{
    return dal_fail(g->ctx, DAL_EINVAL,
                    "gradients: at t = %.9g other rows are left out, or a step is taken back: the run goes "
                    "on with other equations, which is not differentiated",
                    g->parts.method->current->t);
}

/* Contacts whose mode is another than at the state before, though nothing has happened: a step was taken back. */
static int other_modes(const dal_gradient *g)
{
    const double *now = dal_sim_data(g->sim)->memory, *then = dal_gr_record(g, g->first + g->held - 1) + g->size;
    int other = 0;
    for (int k = 0; k < g->sys->contacts.n; ++k) {
        const int at = g->sys->contacts.memory + DAL_CONTACT_MEMORY * k + DAL_CONTACT_MODE;
        other |= now[at] != then[at];
    }
    return other;
}

static dal_status observe(dal_sim *sim, const dal_state *state, void *user)
{
    dal_gradient *g = user;
    (void)state;
    const long before = g->parts.builds;
    const int noted = dal_gr_happened(g, sim);
    g->parts = dal_sim_parts_of(sim);
    const int other_rows = g->parts.fresh && g->parts.builds != before; // joints are released
    const int happened = noted || (other_rows && g->before_known);
    if (g->probe) {
        return dal_gr_probed(g, happened);
    }
    if (g->nrecords == 0) { // sizes are known with the rows that are held
        set_sizes(g);
        g->before_known = 0;
        return add_record(g, 0, GR_STEP);
    }
    if (happened && !g->before_known) {
        return changed(g);
    }
    if (happened) { // what follows is a segment of its own: other rows may be held
        g->pending = 1;
        DAL_TRY(add_before(g));
        return DAL_RETRY;
    }
    g->before_known = 0;
    if (g->happens && other_modes(g)) {
        return changed(g);
    }
    if (g->parts.fresh) {
        if (other_rows || g->type->size(g->parts.method) != g->size || g->parts.ev->nc != g->nheld) {
            return changed(g);
        }
        DAL_TRY(add_record(g, 1, GR_STEP));
    }
    DAL_TRY(add_record(g, 0, g->parts.fresh ? GR_START : GR_STEP));
    const long last = g->first + g->held - 1;
    return g->held + 2 > g->most || last == g->until ? DAL_RETRY : DAL_OK; // the run pauses
}

dal_status dal_gr_observe(dal_gradient *g)
{
    if (g->happens) {
        dal_sim_follow(g->sim, follow, g);
    }
    return dal_sim_observe(g->sim, observe, g);
}

/* ---- segments --------------------------------------------------------------------------------- */

/* From here on states are kept anew. */
static dal_status begin_segment(dal_gradient *g)
{
    const size_t size = dal_sim_snapshot_size(g->sim);
    if ((size_t)(g->nsegments + 1) * size > g->memory / 2 && g->nsegments > 1) {
        return dal_fail(g->ctx, DAL_ENOMEM,
                        "gradients: %ld steps and more do not fit into %zu bytes, snapshots take %zu each: allow more "
                        "memory, or a larger h",
                        g->nrecords, g->memory, size);
    }
    if (g->nsegments == g->room_segments) {
        const int room = 2 * g->nsegments + 8;
        gr_segment *more = dal_alloc_zero(g->ctx, (size_t)room * sizeof *more);
        if (!more) {
            return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the snapshots of a run");
        }
        if (g->nsegments > 0) {
            memcpy(more, g->segment, (size_t)g->nsegments * sizeof *more);
        }
        dal_free(g->ctx, g->segment);
        g->segment = more;
        g->room_segments = room;
    }
    if (g->pending) { // after an event
        set_sizes(g);
        g->first = g->nrecords;
        g->held = g->pending = 0;
        DAL_TRY(add_record(g, 0, GR_AFTER));
    }
    gr_segment *s = &g->segment[g->nsegments];
    *s = (gr_segment){.first = g->nrecords - 1, .snapshot = dal_alloc(g->ctx, size), .size = size};
    s->inputs = dal_alloc(g->ctx, ((size_t)g->sys->ninputs + 1) * sizeof *s->inputs);
    g->nsegments++;
    if (!s->snapshot || !s->inputs) {
        return dal_fail(g->ctx, DAL_ENOMEM, "no memory for the snapshots of a run");
    }
    dal_copy(s->inputs, dal_sim_data(g->sim)->input, g->sys->ninputs);
    if (g->nrecords > 1) {
        memmove(g->record, dal_gr_record(g, s->first), (size_t)g->stride * sizeof(double));
    }
    g->first = s->first;
    g->held = 1;
    return dal_sim_save(g->sim, s->snapshot, size);
}

dal_status dal_gr_advance(dal_gradient *g, dal_stop *reason)
{
    *reason = DAL_STOP_TIME;
    if (g->happens) {
        double t = dal_sim_state(g->sim).t;
        while (t < g->t_end && *reason == DAL_STOP_TIME) {
            DAL_TRY(dal_sim_run(g->sim, reason, dal_gr_next_time(g, t)));
            t = dal_sim_state(g->sim).t;
        }
        return DAL_OK;
    }
    if (!g->pilot) {
        return dal_sim_run(g->sim, reason, g->t_end);
    }
    const double t = dal_sim_state(g->sim).t;
    long low = 0, high = g->ntimes;
    while (low < high) { // the first time behind t
        const long mid = (low + high) / 2;
        *(g->times[mid] <= t ? &low : &high) = g->times[mid] <= t ? mid + 1 : mid;
    }
    for (; low < g->ntimes && *reason == DAL_STOP_TIME; ++low) {
        DAL_TRY(dal_sim_run(g->sim, reason, g->times[low]));
    }
    return DAL_OK;
}

dal_status dal_gr_fill(dal_gradient *g)
{
    dal_stop reason = DAL_STOP_OBSERVER;
    g->until = -1;
    while (reason == DAL_STOP_OBSERVER) {
        DAL_TRY(begin_segment(g));
        DAL_TRY(dal_gr_advance(g, &reason));
    }
    if (g->pending) { // an event ended the run
        DAL_TRY(begin_segment(g));
    }
    g->about.segments = g->nsegments;
    if (watched(g)) {
        return DAL_OK;
    }
    const dal_point last = dal_gr_point(g, g->nrecords - 1);
    return look(g, dal_gr_inputs(g, g->nrecords - 1), &last);
}

static int segment_of(const dal_gradient *g, long i)
{
    int k = g->nsegments - 1;
    while (g->segment[k].first > i) {
        --k;
    }
    return k;
}

dal_status dal_gr_set_inputs(dal_gradient *g, long i)
{
    return g->sys->ninputs > 0 ? dal_data_set_inputs(dal_sim_data(g->sim), g->segment[segment_of(g, i)].inputs)
                               : DAL_OK;
}

static dal_status restore(dal_gradient *g, int k)
{
    DAL_TRY(dal_sim_restore(g->sim, g->segment[k].snapshot, g->segment[k].size));
    (void)dal_gr_happened(g, g->sim);
    return dal_gr_set_inputs(g, g->segment[k].first);
}

/* The segment of that number once more, from its beginning on, to state `until`. */
static dal_status run_again(dal_gradient *g, int k, long until)
{
    dal_stop reason;
    if (g->happens) { // the method may be made anew
        dal_gr_drop_derivative(g);
    }
    g->until = until;
    g->first = g->segment[k].first;
    g->held = g->pending = g->before_known = 0;
    DAL_TRY(restore(g, k));
    if (g->happens) {
        set_sizes(g);
        g->outputs.known = 0;
    }
    DAL_TRY(add_record(g, 0, GR_STEP));
    DAL_TRY(g->first == until ? DAL_OK : dal_gr_advance(g, &reason));
    if (g->pending) { // back to the rows of these states
        DAL_TRY(restore(g, k));
        g->parts = dal_sim_parts_of(g->sim);
        g->pending = 0;
    }
    return DAL_OK;
}

dal_status dal_gr_load(dal_gradient *g, long i)
{
    const long from = i > 0 && dal_gr_kind(g, i) != GR_AFTER ? i - 1 : i;
    if (from >= g->first && i < g->first + g->held) {
        return DAL_OK;
    }
    const int k = segment_of(g, from);
    return run_again(g, k, k + 1 < g->nsegments ? g->segment[k + 1].first : g->nrecords - 1);
}

dal_status dal_gr_go_to(dal_gradient *g, long i)
{
    return run_again(g, segment_of(g, i), i);
}
