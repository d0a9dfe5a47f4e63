/* Values of a run, and what its states are weighed with. */
#include <math.h>
#include <string.h>

#include "base/vector.h"
#include "gradient/gradient_impl.h"

/* Arguments of the expressions of the plan: inputs or results, then numbers. */
static void arguments(const dal_gradient *g, double *x, const double *first, int n)
{
    memset(x, 0, SWEEP_COLUMNS * sizeof *x);
    if (n > 0) {
        memcpy(x, first, (size_t)n * sizeof *x);
    }
    memcpy(x + SWEEP_COLUMNS, g->now, (size_t)g->nnamed * sizeof *x);
}

typedef double room_for[SWEEP_COLUMNS + SWEEP_PARAMETERS];

/* An expression of the inputs at a state. */
static double at_state(const dal_gradient *g, const dal_expression *e, long k, double *gradient)
{
    room_for x;
    arguments(g, x, dal_gr_inputs(g, k), g->plan.ninputs);
    return gradient ? dal_expression_gradient(gradient, e, x) : dal_expression_at(e, x);
}

/* Of the trapezoidal rule. */
static double weight_of(const dal_gradient *g, long k)
{
    const double t = dal_gr_time(g, k);
    return 0.5 * ((k > 0 ? t - dal_gr_time(g, k - 1) : 0.0) + (k + 1 < g->nrecords ? dal_gr_time(g, k + 1) - t : 0.0));
}

static const char *name_of(sweep_reduction_kind kind)
{
    return kind == REDUCE_TIME_OF_MIN   ? "time_of_min"
           : kind == REDUCE_TIME_OF_MAX ? "time_of_max"
           : kind == REDUCE_TIME_OF     ? "time_of"
           : kind == REDUCE_CROSSINGS   ? "crossings"
                                        : "settle";
}

dal_status dal_gr_check_reductions(const dal_gradient *g)
{
    for (int k = 0; k < g->plan.nreductions; ++k) {
        const sweep_reduction_kind kind = g->plan.reduction[k].kind;
        if (kind > REDUCE_INTEGRAL && kind != REDUCE_SMOOTH_MAX) {
            return dal_fail(g->ctx, DAL_EOPTION,
                            "%s(...) has no gradient here: choose final, initial, integral, mean, rms, min, max or "
                            "smooth_max",
                            name_of(kind));
        }
    }
    return DAL_OK;
}

/* The extremum of the parabola through the best state and its neighbours: its weights are those of the values there. At the ends of
 * the run it is the state itself. */
static double vertex(const dal_gradient *g, const dal_expression *e, gr_tally *s)
{
    double f[3], t[3], sum = 0.0;
    dal_zero(s->w, 3);
    dal_zero(s->dw, 3);
    s->w[1] = 1.0;
    if (s->at == 0 || s->at + 1 >= g->nrecords || dal_gr_fresh(g, s->at) || dal_gr_fresh(g, s->at + 1)) {
        return at_state(g, e, s->at, NULL);
    }
    for (int i = 0; i < 3; ++i) {
        f[i] = at_state(g, e, s->at + i - 1, NULL);
        t[i] = dal_gr_time(g, s->at + i - 1) - dal_gr_time(g, s->at);
    }
    const double back = (f[1] - f[0]) / (t[1] - t[0]), ahead = (f[2] - f[1]) / (t[2] - t[1]);
    const double bend = (ahead - back) / (t[2] - t[0]), slope = back - bend * (t[0] + t[1]);
    const double at = bend != 0.0 ? -0.5 * slope / bend : 0.0;
    if (!(at > t[0] && at < t[2])) {
        return f[1];
    }
    for (int i = 0; i < 3; ++i) {
        const int a = (i + 1) % 3, b = (i + 2) % 3;
        s->w[i] = (at - t[a]) * (at - t[b]) / ((t[i] - t[a]) * (t[i] - t[b]));
        s->dw[i] = -s->w[i] * (slope + 2.0 * bend * t[i]); // a state that moves along the parabola changes nothing
        sum += s->w[i] * f[i];
    }
    return sum;
}

static dal_status reduce(const dal_gradient *g, const sweep_reduction *r, gr_tally *s, double *value)
{
    room_for x;
    const long last = g->nrecords - 1;
    arguments(g, x, NULL, 0);
    *s = (gr_tally){.at = r->kind == REDUCE_INITIAL ? 0 : last, .T = dal_gr_time(g, last) - dal_gr_time(g, 0)};
    s->kappa = r->kind == REDUCE_SMOOTH_MAX ? dal_expression_at(r->arg[0], x + SWEEP_COLUMNS) : 0.0;
    double best = NAN;
    const int path = r->kind != REDUCE_INITIAL && r->kind != REDUCE_FINAL;
    for (long k = 0; k <= last && path; ++k) {
        const double f = at_state(g, r->of, k, NULL);
        const int better = isnan(best) || (r->kind == REDUCE_MIN ? f < best : f > best);
        best = better ? f : best;
        s->at = better && (r->kind == REDUCE_MIN || r->kind == REDUCE_MAX) ? k : s->at;
        s->sum += weight_of(g, k) * (r->kind == REDUCE_RMS ? f * f : f);
    }
    s->largest = best;
    if (r->kind == REDUCE_MIN || r->kind == REDUCE_MAX) {
        *value = vertex(g, r->of, s);
        return DAL_OK;
    }
    if (r->kind == REDUCE_SMOOTH_MAX) {
        s->sum = 0.0;
        for (long k = 0; k <= last; ++k) {
            s->sum += weight_of(g, k) / s->T * exp(s->kappa * (at_state(g, r->of, k, NULL) - best));
        }
    }
    *value = r->kind == REDUCE_INTEGRAL     ? s->sum
             : r->kind == REDUCE_MEAN       ? s->sum / s->T
             : r->kind == REDUCE_RMS        ? sqrt(s->sum / s->T)
             : r->kind == REDUCE_SMOOTH_MAX ? best + log(s->sum) / s->kappa
                                            : at_state(g, r->of, s->at, NULL);
    return DAL_OK;
}

/* d(reduction)/df at a state. */
static double slope_of(const dal_gradient *g, int reduction, long k)
{
    const sweep_reduction *r = &g->plan.reduction[reduction];
    const gr_tally *s = &g->tally[reduction];
    switch (r->kind) {
    case REDUCE_INTEGRAL:
        return weight_of(g, k);
    case REDUCE_MEAN:
        return weight_of(g, k) / s->T;
    case REDUCE_RMS:
        return g->reduced[reduction] > 0.0
                   ? weight_of(g, k) * at_state(g, r->of, k, NULL) / (s->T * g->reduced[reduction])
                   : 0.0;
    case REDUCE_SMOOTH_MAX:
        return weight_of(g, k) / s->T * exp(s->kappa * (at_state(g, r->of, k, NULL) - s->largest)) / s->sum;
    case REDUCE_MIN:
    case REDUCE_MAX:
        return k >= s->at - 1 && k <= s->at + 1 ? s->w[k - s->at + 1] : 0.0;
    default:
        return k == s->at ? 1.0 : 0.0;
    }
}

/* ---- data ------------------------------------------------------------------------------------- */

static gr_nodes nodes_at(const dal_gradient *g, double t)
{
    gr_nodes at = {.n = GR_NODES};
    long low = 0, high = g->nrecords - 1;
    while (high - low > 1) {
        const long mid = (low + high) / 2;
        *(dal_gr_time(g, mid) <= t ? &low : &high) = mid;
    }
    for (int i = 0; i < 2; ++i) { // at a state there is nothing between
        const double apart = fabs(t - dal_gr_time(g, low + i));
        if (low + i < g->nrecords && apart <= 1e-9 * (dal_gr_time(g, high) - dal_gr_time(g, low))) {
            return (gr_nodes){.first = low + i, .n = 1, .w = {1.0}};
        }
    }
    // of one smooth stretch
    long begin = low, end = low + 1;
    while (begin > 0 && !dal_gr_fresh(g, begin) && low - begin < GR_NODES) {
        --begin;
    }
    while (end < g->nrecords && !dal_gr_fresh(g, end) && end - low < GR_NODES) {
        ++end;
    }
    at.n = end - begin < GR_NODES ? (int)(end - begin) : GR_NODES;
    at.first = low - 1 < begin ? begin : low - 1;
    at.first = at.first + at.n > end ? end - at.n : at.first;
    for (int i = 0; i < at.n; ++i) {
        at.w[i] = 1.0;
        for (int j = 0; j < at.n; ++j) {
            const double ti = dal_gr_time(g, at.first + i), tj = dal_gr_time(g, at.first + j);
            at.w[i] *= i == j ? 1.0 : (t - tj) / (ti - tj);
        }
    }
    return at;
}

static double data_weight(const dal_gradient_data *d, int i)
{
    return d->weight ? d->weight[i] : 1.0;
}

static void residuals(dal_gradient *g)
{
    int at = g->nof;
    g->squares = 0.0;
    for (int c = 0; c < g->ndata; ++c) {
        const dal_gradient_data *d = &g->data[c];
        for (int i = 0; i < d->n; ++i, ++at) {
            const gr_nodes nodes = nodes_at(g, d->t[i]);
            double sum = 0.0;
            for (int k = 0; k < nodes.n; ++k) {
                sum += nodes.w[k] * at_state(g, g->plan.trajectory[c], nodes.first + k, NULL);
            }
            g->nodes[at - g->nof] = nodes;
            g->value[at] = data_weight(d, i) * (sum - d->y[i]);
            g->squares += g->value[at] * g->value[at];
        }
    }
}

/* ---- what states are weighed with ------------------------------------------------------------- */

dal_status dal_gr_values(dal_gradient *g)
{
    room_for x;
    for (int k = 0; k < g->plan.nreductions; ++k) {
        DAL_TRY(reduce(g, &g->plan.reduction[k], &g->tally[k], &g->reduced[k]));
    }
    arguments(g, x, g->reduced, g->plan.nreductions);
    for (int i = 0; i < g->nof; ++i) {
        g->value[i] = dal_expression_at(g->plan.value[i], x);
    }
    residuals(g);
    return DAL_OK;
}

static int add_slopes(const dal_gradient *g, double *c, double *p, const dal_expression *e, double f, long k)
{
    room_for slope;
    if (f == 0.0) {
        return 0;
    }
    (void)at_state(g, e, k, slope);
    dal_add_multiple(c, slope, f, g->plan.ninputs);
    if (p) {
        dal_add_multiple(p, slope + SWEEP_COLUMNS, f, g->nnamed);
    }
    return 1;
}

static double node_weight(const gr_nodes *nodes, long k)
{
    return k >= nodes->first && k < nodes->first + nodes->n ? nodes->w[k - nodes->first] : 0.0;
}

/* Of one residual of data. */
static int residual_weights(const dal_gradient *g, double *c, double *p, int which, long k)
{
    const double w = node_weight(&g->nodes[which], k);
    int curve = 0, i = which;
    if (w == 0.0) {
        return 0;
    }
    while (i >= g->data[curve].n) {
        i -= g->data[curve++].n;
    }
    return add_slopes(g, c, p, g->plan.trajectory[curve], w * data_weight(&g->data[curve], i), k);
}

/* Of the sum of their squares. */
static int square_weights(const dal_gradient *g, double *c, double *p, long k)
{
    int at = 0, found = 0;
    for (int curve = 0; curve < g->ndata; ++curve) {
        double f = 0.0;
        for (int i = 0; i < g->data[curve].n; ++i, ++at) {
            f += 2.0 * g->value[g->nof + at] * data_weight(&g->data[curve], i) * node_weight(&g->nodes[at], k);
        }
        found |= add_slopes(g, c, p, g->plan.trajectory[curve], f, k);
    }
    return found;
}

int dal_gr_weights(dal_gradient *g, double *c, double *p, int i, long k)
{
    room_for x, slope;
    int found = 0;
    dal_zero(c, g->plan.ninputs);
    if (i < 0 || i >= g->nof) {
        return i < 0 ? square_weights(g, c, p, k) : residual_weights(g, c, p, i - g->nof, k);
    }
    for (int r = 0; r < g->plan.nreductions && k > 0 && !found; ++r) {
        found = slope_of(g, r, k) != 0.0;
    }
    if (k > 0 && !found) {
        return 0;
    }
    found = 0;
    arguments(g, x, g->reduced, g->plan.nreductions);
    (void)dal_expression_gradient(slope, g->plan.value[i], x);
    for (int r = 0; r < g->plan.nreductions; ++r) {
        if (slope[r] != 0.0) {
            found |= add_slopes(g, c, p, g->plan.reduction[r].of, slope[r] * slope_of(g, r, k), k);
        }
    }
    if (k == 0 && p) {
        dal_add(p, slope + SWEEP_COLUMNS, g->nnamed); // the numbers themselves
    }
    return found;
}

/* ---- times of states -------------------------------------------------------------------------- */

/* What a reduction sums up at a state. */
static double summand(const dal_gradient *g, const sweep_reduction *r, const gr_tally *s, long k)
{
    const double f = at_state(g, r->of, k, NULL);
    return r->kind == REDUCE_RMS ? f * f : r->kind == REDUCE_SMOOTH_MAX ? exp(s->kappa * (f - s->largest)) : f;
}

/* d(reduction)/dt_k: of the weights of the trapezoidal rule, and of the time T of the run. */
static double time_slope_of(const dal_gradient *g, int reduction, long k)
{
    const sweep_reduction *r = &g->plan.reduction[reduction];
    const gr_tally *s = &g->tally[reduction];
    const long last = g->nrecords - 1;
    const double value = g->reduced[reduction], ends = k == last ? 1.0 : 0.0;
    if (r->kind == REDUCE_MIN || r->kind == REDUCE_MAX) {
        return k >= s->at - 1 && k <= s->at + 1 ? s->dw[k - s->at + 1] : 0.0;
    }
    if (r->kind != REDUCE_INTEGRAL && r->kind != REDUCE_MEAN && r->kind != REDUCE_RMS && r->kind != REDUCE_SMOOTH_MAX) {
        return 0.0;
    }
    const double here = summand(g, r, s, k);
    const double sum =
        0.5 * ((k > 0 ? summand(g, r, s, k - 1) + here : 0.0) - (k < last ? here + summand(g, r, s, k + 1) : 0.0));
    switch (r->kind) {
    case REDUCE_INTEGRAL:
        return sum;
    case REDUCE_MEAN:
        return (sum - ends * value) / s->T;
    case REDUCE_RMS:
        return value > 0.0 ? 0.5 * (sum - ends * value * value) / (s->T * value) : 0.0;
    default:
        return (sum / s->sum - ends) / (s->T * s->kappa);
    }
}

/* Of a residual of data: the state moves along the polynomial through its nodes. */
static double node_slope(const dal_gradient *g, int which, long k)
{
    const gr_nodes *nodes = &g->nodes[which];
    const double w = node_weight(nodes, k), t = dal_gr_time(g, k);
    int curve = 0, i = which;
    double rate = 0.0;
    if (w == 0.0 || nodes->n == 1) {
        return 0.0;
    }
    while (i >= g->data[curve].n) {
        i -= g->data[curve++].n;
    }
    for (int a = 0; a < nodes->n; ++a) {
        const double ta = dal_gr_time(g, nodes->first + a);
        double sum = 0.0; // l_a'(t)
        for (int b = 0; b < nodes->n; ++b) {
            double product = b == a ? 0.0 : 1.0 / (ta - dal_gr_time(g, nodes->first + b));
            for (int c = 0; c < nodes->n; ++c) {
                const double tc = dal_gr_time(g, nodes->first + c);
                product *= c == a || c == b ? 1.0 : (t - tc) / (ta - tc);
            }
            sum += product;
        }
        rate += sum * at_state(g, g->plan.trajectory[curve], nodes->first + a, NULL);
    }
    return -w * rate * data_weight(&g->data[curve], i);
}

double dal_gr_time_slope(const dal_gradient *g, int i, long k)
{
    room_for x, slope;
    double sum = 0.0;
    if (i >= g->nof) {
        return node_slope(g, i - g->nof, k);
    }
    if (i < 0) { // the squares
        for (int r = 0; r < g->nresiduals; ++r) {
            sum += 2.0 * g->value[g->nof + r] * node_slope(g, r, k);
        }
        return sum;
    }
    arguments(g, x, g->reduced, g->plan.nreductions);
    (void)dal_expression_gradient(slope, g->plan.value[i], x);
    for (int r = 0; r < g->plan.nreductions; ++r) {
        sum += slope[r] != 0.0 ? slope[r] * time_slope_of(g, r, k) : 0.0;
    }
    return sum;
}
