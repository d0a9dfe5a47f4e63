/* dalembert/assemble.h - close the loops of a mechanism from a rough guess (docs/theory/assembly.md, labels AS.*).
 *
 * Works on any system, with redundant constraints and massless bodies too: masses do not matter for positions. */
#ifndef DALEMBERT_ASSEMBLE_H
#define DALEMBERT_ASSEMBLE_H

#include "dalembert/system.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_assembly_report {
    int iterations;
    double before, after; /* largest |Phi| */
    double moved;         /* distance on the group */
    int velocities_kept;  /* by dal_document_assemble: given velocities from which the others were completed; 0: none */
    int velocities_given; /* by dal_document_assemble: how many are given, states apart */
} dal_assembly_report;

/* Move q until |Phi(q, t)| <= tol in the scales of its rows (SX.1), or to rounding, by steps of least norm in the units of the system that leave the factors `held` (numbers, nheld of them) where
 * they are. DAL_NOCONV if that is impossible: the message names the rows that stay open and by how much; q is then the
 * best that was found. report may be NULL. */
DAL_API dal_status dal_assemble(dal_ctx *ctx, const dal_system *sys, double *q, dal_assembly_report *report, double t,
                                const int *held, int nheld, double tol) DAL_NODISCARD;

/* Complete velocities of which some are given (nv flags; NULL: those that are not zero): they stay, zeros too, and the others
 * change by what has the least kinetic energy with which the constraints hold at (q, t) (AS.2); what has no mass by as little as it can.
 * Where the given ones are consistent already, or contradict the constraints, v stays as it is, for a start to project it:
 * *kept (may be NULL) is the number of given ones, or 0 if nothing was done. */
DAL_API dal_status dal_complete_velocities(dal_ctx *ctx, const dal_system *sys, double *v, int *kept, double t,
                                           const double *q, const int *given) DAL_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
