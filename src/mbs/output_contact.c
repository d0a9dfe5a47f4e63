/* Outputs of contacts. */
#include "mbs/contact_impl.h"
#include "mbs/output_impl.h"

void mb_touch_value(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    for (int k = 0; k < o->all; ++k) {
        mb_contact_view c;
        mb_contact_look(&c, m, o->joint, k, at);
        const double value[] = {[MB_TOUCH_GAP] = c.gap, [MB_TOUCH_SLIP] = c.slip, [MB_TOUCH_P_N] = c.p_n,
                                [MB_TOUCH_P_T] = c.p_t, [MB_TOUCH_CASE] = c.mode, [MB_TOUCH_IMPULSE] = c.impulse};
        y[k] = value[o->type->part];
    }
}

/* Of all contacts of a joint that are closed. */
void mb_slip_path(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    y[0] = 0.0;
    for (int k = 0; k < mb_contact_count(m->of, o->joint); ++k) {
        mb_contact_view c;
        mb_contact_look(&c, m, o->joint, k, at);
        y[0] += c.mode == DAL_CONTACT_SLIDING ? c.slip : 0.0;
    }
}

/* The time in which one of them sticks at least, and none slides. */
void mb_stick_time(double *y, const mb_output *o, mb_instance *m, const dal_point *at)
{
    int sticks = 0, slides = 0;
    for (int k = 0; k < mb_contact_count(m->of, o->joint); ++k) {
        mb_contact_view c;
        mb_contact_look(&c, m, o->joint, k, at);
        sticks += c.mode == DAL_CONTACT_STICKING;
        slides += c.mode == DAL_CONTACT_SLIDING;
    }
    y[0] = sticks > 0 && slides == 0;
}
