/* Rows that are left out of a system. What is left is the same description with fewer rows (dal_system.mask): its callbacks are
 * those of the whole system and see all rows. The calls here stand between: multipliers of rows left out are known, zero but for
 * redundant ones whose share counts, and what the callbacks write of these rows is dropped. */
#ifndef DAL_SYSTEM_MASK_H
#define DAL_SYSTEM_MASK_H

#include "system/data.h"

struct dal_mask {
    const dal_system *whole;
    int nc;        /* rows of the whole system */
    int nkept;     /* rows kept */
    int *row0;     /* nconstraints + 1 of the whole system: first row of each constraint block */
    int *kept;     /* nkept: their numbers in the whole system */
    int *number;   /* nc: of each row among those kept, or -1 */
    int *link;     /* nlinks of the whole system: number of the link that is left, or -1 */
    int *couple;   /* ncouples likewise */
    double *fixed; /* nc: multipliers of the rows left out */
};

/* Numbers that the calls need as scratch, in dal_data, for any mask on the rows of a system. */
size_t dal_mask_room(const dal_system *sys);

/* The number of a row in what the callbacks see. */
static inline int dal_mask_row(const dal_system *sys, int row)
{
    return sys->mask ? sys->mask->kept[row] : row;
}

/* The same with a mask. Its multipliers are in scratch of the data, the rest in room. */
const dal_point *dal_masked_point(const dal_system *sys, const dal_data *data, dal_point *room, const dal_point *at);
dal_status dal_masked_residual(const dal_system *sys, const dal_data *data, const dal_residual *out,
                               const dal_point *at) DAL_NODISCARD;
dal_status dal_masked_tangent(const dal_system *sys, const dal_data *data, dal_sink *sink,
                              const dal_point *at) DAL_NODISCARD;

/* The point as the callbacks see it: with multipliers of all rows. data: of sys, or of a system with the same rows or more. */
static inline const dal_point *dal_mask_point(const dal_system *sys, const dal_data *data, dal_point *room,
                                              const dal_point *at)
{
    return sys->mask ? dal_masked_point(sys, data, room, at) : at;
}

/* The two callbacks that write rows. */
static inline dal_status dal_mask_residual(const dal_system *sys, const dal_data *data, const dal_residual *out,
                                           const dal_point *at)
{
    return sys->mask ? dal_masked_residual(sys, data, out, at)
                     : sys->equations.residual(out, at, sys->user, data->work);
}

static inline dal_status dal_mask_tangent(const dal_system *sys, const dal_data *data, dal_sink *sink,
                                          const dal_point *at)
{
    return sys->mask ? dal_masked_tangent(sys, data, sink, at)
                     : sys->equations.tangent(sink, at, sys->user, data->work);
}

#endif
