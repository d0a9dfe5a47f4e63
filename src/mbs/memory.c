/* What a run remembers beyond q and v: sums over time, and the turns of angles (MB.16). It changes at final
 * states only; while a step is tried, angles are continued from the last one. */
#include <string.h>

#include "mbs/beam_impl.h"
#include "mbs/compile_impl.h"
#include "mbs/contact_impl.h"
#include "mbs/event_impl.h"
#include "mbs/force_impl.h"
#include "mbs/meeting_impl.h"
#include "mbs/output_impl.h"
#include "mbs/wrench.h"

/* ---- angles ----------------------------------------------------------------------------------- */

/* What happened to an angle within a step. */
typedef enum turning { SOUND, TOO_FAR, JUMPED } turning;

/* Continue an angle to the present state, h after the last one. near: the value it starts near to, NULL: zero. */
static turning follow(mb_instance *m, const mb_marker marker[2], const mb_row *row, const dal_point *at, double h,
                      dal_moment moment, const double *near)
{
    double *last = m->memory + row->memory;
    mb_row within = *row;
    mb_along a;
    within.memory = 0;
    mb_along_at(&a, m, marker, &within, at->t);
    if (moment == DAL_MOMENT_START) {
        last[0] = near ? mb_nearest_turn(a.c, *near) : a.c;
        last[1] = a.cd;
        return SOUND;
    }
    const double seen = mb_nearest_turn(a.c, last[0] + last[1] * h), mean = last[0] + 0.5 * h * (last[1] + a.cd);
    const double angle = mb_nearest_turn(a.c, mean);
    last[0] = angle;
    last[1] = a.cd;
    return fabs(angle - mean) > 0.25 * MB_TURN ? JUMPED : angle != seen ? TOO_FAR : SOUND;
}

/* An angle that a force depends on must have been followed correctly throughout the step. */
static void follow_strictly(mb_instance *m, const mb_force *f, const mb_turning *a, const dal_point *at, double h,
                            dal_moment moment, const double *near)
{
    const turning how = follow(m, a->marker, &a->row, at, h, moment, near);
    const char *name = m->of->force_names.name[f - m->force];
    if (moment == DAL_MOMENT_STEP && how == JUMPED) {
        MB_FAIL(
            m, DAL_ESTEP,
            "force '%s': its angle about the %c axis of frame A jumped within a step of %.3g s, as it does where the "
            "other rotations pass a right angle. Turn the frames, or measure small rotations only",
            name, 'x' + a->row.i, h);
    } else if (moment == DAL_MOMENT_STEP && how == TOO_FAR) {
        MB_FAIL(m, DAL_ESTEP,
                "force '%s': its angle changed so fast within a step of %.3g s that its turns cannot be counted: use a "
                "smaller h",
                name, h);
    }
}

static void follow_force(mb_instance *m, const mb_force *f, const dal_point *at, double h, dal_moment moment)
{
    mb_turning a = {f->marker, f->row, 1};
    if (f->row.memory > 0) {
        double reference[3] = {f->d.reference, 0.0, 0.0};
        if (f->d.function > 0) {
            mb_function_at(reference, m, f->d.function, at->t, "force", m->of->force_names.name[f - m->force]);
        }
        follow_strictly(m, f, &a, at, h, moment, reference);
    }
    for (int k = 0; f->type->angles && f->type->angles(&a, f, k); ++k) {
        if (a.matters) {
            follow_strictly(m, f, &a, at, h, moment, NULL);
        }
    }
}

static void follow_output(mb_instance *m, const mb_output *o, const dal_point *at, double h, dal_moment moment)
{
    const mb_joint *j = &m->joint[o->joint];
    const int driven = j->d.function > 0 && j->d.coordinate == DAL_COORDINATE_ROTATION && j->d.axis == o->row.i;
    double start[3];
    if (driven) {
        mb_function_at(start, m, j->d.function, at->t, "joint", m->of->joint_names.name[o->joint]);
    }
    (void)follow(m, j->marker, &o->row, at, h, moment, driven ? start : NULL);
}

/* ---- switching -------------------------------------------------------------------------------- */

double mb_next_break(double t, const void *user, void *work)
{
    (void)user;
    const mb_instance *m = work;
    double next = INFINITY;
    for (int k = 0; k < m->nforces; ++k) {
        const dal_force *d = &m->force[k].d;
        next = d->switched && d->from > t ? fmin(next, d->from) : next;
        next = d->switched && d->to > t ? fmin(next, d->to) : next;
        next = m->force[k].type->keep ? fmin(next, mb_delay_break(&m->force[k], m, t)) : next;
    }
    for (int k = 0; k < m->njoints; ++k) {
        next = m->joint[k].d.release > t ? fmin(next, m->joint[k].d.release) : next;
    }
    return next;
}

/* Of functions, laws and rows of the time. */
static double find_kink(const mb_instance *m, double t)
{
    const dal_functions functions = mb_functions(m);
    double next = INFINITY;
    for (int k = 0; k < m->nforces; ++k) {
        const dal_force *d = &m->force[k].d;
        next = fmin(next, mb_function_break(m->function, d->function, t));
        next = d->law_break ? fmin(next, d->law_break(t, d->parameter, d->user)) : next;
        next = d->calling_break ? fmin(next, d->calling_break(t, d->parameter, &functions, d->user)) : next;
    }
    for (int k = 0; k < m->of->nlines; ++k) {
        next = fmin(next, mb_function_break(m->function, m->of->line[k].function, t));
    }
    for (int b = 0; b < m->of->beam_names.n; ++b) {
        for (int k = 0; k < m->of->beam[b].nslides; ++k) {
            next = fmin(next, mb_function_break(m->function, m->of->beam[b].slide[k].function, t));
        }
    }
    for (int k = 0; k < m->njoints; ++k) {
        const dal_joint *d = &m->joint[k].d;
        next = fmin(next, mb_function_break(m->function, d->function, t));
        next = d->rows_break ? fmin(next, d->rows_break(t, d->parameter, &functions, d->user)) : next;
    }
    return next;
}

/* Of tables of constants alone. */
static double find_jump(const mb_instance *m, double t)
{
    double next = INFINITY;
    for (int k = 0; k < m->nforces; ++k) {
        next = fmin(next, mb_function_next_step(m->function, m->force[k].d.function, t));
    }
    for (int k = 0; k < m->of->nlines; ++k) {
        next = fmin(next, mb_function_next_step(m->function, m->of->line[k].function, t));
    }
    for (int k = 0; k < m->njoints; ++k) {
        next = fmin(next, mb_function_next_step(m->function, m->joint[k].d.function, t));
    }
    return next;
}

/* The stretch from t to what `find` finds next. */
static double stretch_from(mb_instance *m, double t, int go_on, double (*find)(const mb_instance *m, double t))
{
    if (m->smooth.valid && t >= m->smooth.from && t < m->smooth.to) {
        return m->smooth.to;
    }
    // what is not told apart from t is at t: sign(t - t) is 0, but the motion goes on with 1
    const double same = 16.0 * 2.2e-16 * fabs(t) + 1e-18;
    double first = t, next = find(m, t);
    while (next <= t + same) {
        first = next;
        next = find(m, next);
    }
    if (go_on && mb_settled(m) == DAL_OK) {
        m->smooth.valid = 1;
        m->smooth.from = t;
        m->smooth.first = first;
        m->smooth.to = next;
        m->smooth.last = nextafter(next, t);
        m->summed = 0;
    }
    return next;
}

double mb_next_kink(double t, int go_on, const void *user, void *work)
{
    (void)user;
    return stretch_from(work, t, go_on, find_kink);
}

double mb_next_jump(double t, int go_on, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    // where nothing ever jumps there are no stretches
    return m->smooth.valid || find_jump(m, t) < INFINITY ? stretch_from(m, t, go_on, find_jump) : INFINITY;
}

static int row_released(int row, double t, const void *user, void *work)
{
    (void)user;
    const mb_instance *m = work;
    for (int k = 0; k < m->nconstraints; ++k) {
        const mb_constraint *c = &m->constraint[k];
        if (row >= c->row0 && row < c->row0 + c->nrows) {
            return c->joint >= 0 &&
                   (mb_released(&m->joint[c->joint], m, t) || (c->contact > 0 && !mb_contact_holds(c, m)));
        }
    }
    return 0;
}

/* ---- final states ----------------------------------------------------------------------------- */

static void keep_histories(mb_instance *m, const dal_point *at, dal_moment moment)
{
    for (int k = 0; k < m->nforces; ++k) {
        if (m->force[k].type->keep) {
            m->force[k].type->keep(&m->force[k], m, at, moment);
        }
    }
}

static dal_status integrate(const dal_point *at, double weight, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    const double tau = at->t - m->memory[MB_MEMORY_TIME];
    m->st = DAL_OK;
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    for (int k = 0; k < m->nremembers; ++k) {
        const mb_output *o = &m->output[m->remembers[k]];
        if (o->memory > 0) {
            double rate, *moment = m->memory + o->memory + MB_SUM_MOMENTS;
            o->type->rate(&rate, o, m, at);
            moment[0] += weight * rate;
            moment[1] += weight * rate * tau;
            moment[2] += weight * rate * tau * tau;
        }
    }
    if (!m->ends_alone || m->memory[MB_MEMORY_STARTED] == 0.0) {
        keep_histories(m, at, DAL_MOMENT_STEP);
    }
    return m->st;
}

/* The energy of a force that acts: of springs, or of a rotor. */
static double energy_of(mb_instance *m, int force, double t)
{
    const mb_element *e = &m->element[m->first_force + force];
    double E = 0.0;
    if (e->type->potential) {
        e->type->potential(&E, e->self, m, t);
    }
    if (e->type->kinetic) {
        e->type->kinetic(&E, e->self, m);
    }
    return E;
}

/* The energy that is there after the switches at the end of a step and was not before, which is the work of switching (MB.14). The
 * memory is still that of the start of the step, apart from angles. */
static double work_of_switching(mb_instance *m, double t)
{
    double E = 0.0;
    for (int k = 0; k < m->nforces; ++k) {
        const mb_force *f = &m->force[k];
        if (f->d.switched && mb_by_event(m, f->switching) == 0.0) {
            const int before = mb_acts(f, m, t), after = t >= f->d.from && t < f->d.to;
            E += before != after ? (after - before) * energy_of(m, k, t) : 0.0;
        }
    }
    return E;
}

void mb_switch(mb_instance *m, int force, int on, double t)
{
    const mb_force *f = &m->force[force];
    const int before = mb_acts(f, m, t);
    m->memory[f->switching] = on ? 1.0 : -1.0;
    const double jump = before != on ? (on - before) * energy_of(m, force, t) : 0.0;
    for (int k = 0; k < m->nremembers; ++k) {
        const mb_output *o = &m->output[m->remembers[k]];
        if (o->memory > 0 && o->type->rate == mb_drive_power) {
            m->memory[o->memory + MB_SUM] += jump;
            m->memory[o->memory + MB_SUM_JUMP] += jump;
        }
    }
}

/* An integral at the end of a step of size h, where it jumps. */
static void add_up(double *sum, double h, double jump, dal_moment moment)
{
    if (moment == DAL_MOMENT_START) {
        memset(sum, 0, MB_SUM_SIZE * sizeof *sum);
    } else if (h > 0.0) {
        double *A = sum + MB_SUM_MOMENTS;
        sum[MB_SUM_BEFORE] = sum[MB_SUM];
        sum[MB_SUM] += A[0] + jump;
        sum[MB_SUM_JUMP] = jump;
        sum[MB_SUM_SLOPE] = 3.0 * (2.0 * A[1] / h - A[0]);
        sum[MB_SUM_CURVE] = 5.0 * (6.0 * A[2] / (h * h) - 6.0 * A[1] / h + A[0]);
        memset(A, 0, 3 * sizeof *A);
    }
}

double mb_integral_at(const mb_instance *m, const mb_output *o, double t)
{
    const double *sum = m->memory + o->memory;
    const double h = m->memory[MB_MEMORY_TIME] - m->memory[MB_MEMORY_BEFORE];
    const double now = mb_switching_time(m, t); // what belongs to the end of the step has jumped
    const double s = h > 0.0 ? (now - m->memory[MB_MEMORY_BEFORE]) / h : 1.0, x = 2.0 * s - 1.0;
    if (!(s >= 0.0 && s < 1.0)) {
        return sum[MB_SUM];
    }
    // the integrals of P0, P1 and P2 from -1 to x, halved
    return sum[MB_SUM_BEFORE] + s * (sum[MB_SUM] - sum[MB_SUM_JUMP] - sum[MB_SUM_BEFORE]) +
           0.25 * (x * x - 1.0) * (sum[MB_SUM_SLOPE] + x * sum[MB_SUM_CURVE]);
}

static dal_status accept(const dal_point *at, dal_moment moment, const void *user, void *work)
{
    (void)user;
    mb_instance *m = work;
    const double h = moment == DAL_MOMENT_START ? 0.0 : at->t - m->memory[MB_MEMORY_TIME];
    m->st = DAL_OK;
    m->summed = 0; // angles are continued from what is remembered
    DAL_TRY(mb_settled(m));
    mb_states(m, at);
    for (int k = 0; k < m->nforces; ++k) {
        if (m->force[k].type->remember) {
            m->force[k].type->remember(&m->force[k], m, at->t);
        } else if (m->force[k].memory > 0) {
            follow_force(m, &m->force[k], at, h, moment);
        }
    }
    for (int k = 0; k < m->nremembers; ++k) {
        mb_output *o = &m->output[m->remembers[k]];
        if (o->row.memory > 0) {
            follow_output(m, o, at, h, moment);
        }
        if (o->turning > 0) {
            mb_output_follow(o, m, at, h, moment);
        }
    }
    mb_contacts_remember(m, at);
    const double switched = h > 0.0 ? work_of_switching(m, at->t) : 0.0;
    if (h > 0.0 || moment == DAL_MOMENT_START) {
        m->memory[MB_MEMORY_BEFORE] = at->t - h;
    }
    m->memory[MB_MEMORY_TIME] = at->t;
    m->memory[MB_MEMORY_STARTED] = 1.0;
    keep_histories(m, at, moment);
    for (int k = 0; k < m->nremembers; ++k) {
        const mb_output *o = &m->output[m->remembers[k]];
        if (o->memory > 0) {
            add_up(m->memory + o->memory, h, o->type->rate == mb_drive_power ? switched : 0.0, moment);
        }
    }
    return m->st;
}

/* ---- layout ----------------------------------------------------------------------------------- */

/* Room for n numbers; 0: for none. */
static int takes(int *next, int n)
{
    const int first = *next;
    *next += n;
    return n > 0 ? first : 0;
}

static int takes_pair(int *next, int needed)
{
    return takes(next, 2 * needed);
}

void mb_memory_layout(dal_model *m)
{
    int next = MB_MEMORY, switched = 0, integrals = 0;
    mb_events_layout(m, &next);
    for (int k = 0; k < m->output_names.n + (m->events ? m->events->noutputs : 0); ++k) {
        mb_output *o = &m->output[k];
        o->memory = takes(&next, o->type->rate != NULL ? MB_SUM_SIZE : 0);
        integrals |= o->memory > 0;
        o->row.memory = takes_pair(&next, o->type->of == MB_OF_COORDINATE && o->row.type->angle);
        o->turning = takes(&next, o->type->turning != MB_TURNING_NONE ? 6 : 0);
    }
    for (int k = 0; k < m->force_names.n; ++k) {
        mb_force *f = &m->force[k];
        mb_turning a;
        int n = 0, needed = 0;
        if (f->type->turns && f->row.type->angle) {
            f->memory = f->row.memory = takes_pair(&next, 1);
        }
        for (; f->type->angles && f->type->angles(&a, f, n); ++n) {
            needed |= a.matters;
        }
        f->memory = n > 0 ? takes_pair(&next, needed ? n : 0) : f->memory;
        f->memory = mb_force_presses(f) ? takes(&next, MB_MEETING_MEMORY) : f->memory;
        f->history = takes(&next, f->type->history);
        integrals |= f->history > 0;
        switched |= f->d.switched || f->type->wrench_kernel == WRENCH_RAIL || f->type->remember; // these may end a run
    }
    int opens = 0;
    for (int k = 0; k < m->joint_names.n; ++k) {
        opens |= m->joint[k].d.release != 0.0 || m->joint[k].switching > 0;
    }
    m->system.contacts.memory = takes(&next, m->system.contacts.n * DAL_CONTACT_MEMORY);
    m->system.contacts.pool = takes(&next, m->system.contacts.npool * DAL_TOUCH_MEMORY);
    opens |= m->system.contacts.n > 0;
    switched |= opens;
    m->system.life.released = opens ? row_released : NULL;
    m->nmemory = m->system.nmemory = next > MB_MEMORY || switched ? next : 0;
    m->system.life.accept = m->nmemory > 0 ? accept : NULL;
    m->system.life.integrate = integrals ? integrate : NULL;
}
