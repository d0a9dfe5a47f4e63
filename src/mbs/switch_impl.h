/* What is switched on at a time, by its description or by an event; part of mbs_impl.h. */
#ifndef DAL_MBS_SWITCH_IMPL_H
#define DAL_MBS_SWITCH_IMPL_H

/* The time that decides what is switched on at t. During a step it is the start of the step, so that a step that ends at a
 * switching time is not affected by the switch. Times within the last step are those of samples: they show what it was
 * computed with. What is this close to its end is the end. Before a run has started, t decides. */
static inline double mb_switching_time(const mb_instance *m, double t)
{
    if (!m->memory || m->memory[MB_MEMORY_STARTED] == 0.0) {
        return t;
    }
    const double last = m->memory[MB_MEMORY_TIME], rounding = 1e-9 * (last - m->memory[MB_MEMORY_BEFORE]);
    return t < last - rounding - 4.0 * 2.2e-16 * fabs(last) ? t : last;
}

/* The time at which functions, laws and motions are evaluated at t: at the ends of a smooth stretch that of its inside, next to
 * them. Steps may end behind it by what is too short for a step of its own. */
static inline double mb_smooth_time(const mb_instance *m, double t)
{
    const double behind = m->smooth.to + 1e-6 * (m->smooth.to - m->smooth.from) + 64.0 * 2.2e-16 * fabs(t);
    return !m->smooth.valid || t < m->smooth.from ? t
           : t < m->smooth.first                  ? m->smooth.first
           : t >= m->smooth.to && t <= behind     ? m->smooth.last
                                                  : t;
}

/* What an event has made of an element: -1 off, 1 on, 2 a joint closed where it was; 0: none has. */
static inline double mb_by_event(const mb_instance *m, int switching)
{
    return switching > 0 && m->memory ? m->memory[switching] : 0.0;
}

/* Does a force act? */
static inline int mb_acts(const mb_force *f, const mb_instance *m, double t)
{
    const double by_event = mb_by_event(m, f->switching);
    if (!f->d.switched || by_event != 0.0) {
        return by_event >= 0.0; // there may be no memory at all
    }
    const double now = mb_switching_time(m, t);
    return now >= f->d.from && now < f->d.to;
}

/* Is a joint open by now? */
static inline int mb_released(const mb_joint *j, const mb_instance *m, double t)
{
    const double by_event = mb_by_event(m, j->switching), now = mb_switching_time(m, t);
    return by_event != 0.0 ? by_event < 0.0 : j->d.release != 0.0 && now >= j->d.release;
}

/* Has this element rows that have been released? */
static inline int mb_open(const mb_element *e, const mb_instance *m, double t)
{
    return e->joint >= 0 && mb_released(&m->joint[e->joint], m, t);
}

static inline int mb_element_acts(const mb_element *e, const mb_instance *m, double t)
{
    return !e->switched || mb_acts(e->switched, m, t);
}

#endif
