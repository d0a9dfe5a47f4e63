/* Closing the mechanism before the start, where the file asks for it. */
#include <string.h>

#include "base/memory.h"
#include "base/message.h"
#include "io/io_impl.h"
#include "projection/assemble.h"

/* Closed as well as a run would close it. */
static const double tolerance = 1e-10;

/* "assembly": {"hold": ["crank", ...]} */
dal_status dal_io_assembly(io_loader *L, const io_node *root)
{
    dal_document *doc = L->doc;
    io_node at, list;
    if (!dal_io_member(&at, root, "assembly")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_object(L, &at, dal_io_form("assembly")));
    doc->assemble = 1;
    if (!dal_io_member(&list, &at, "hold")) {
        return DAL_OK;
    }
    DAL_TRY(dal_io_list(L, &list, 0, IO_LIST_MAX));
    DAL_TAKE(&doc->pool, doc->held, dal_io_length(&list));
    for (size_t k = 0; k < dal_io_length(&list); ++k) {
        const io_node element = dal_io_element(&list, k);
        int body;
        DAL_TRY(dal_io_body_number(L, &body, &element));
        if (body == DAL_GROUND) {
            return dal_io_fail(L, &element, "the ground does not move; name bodies that are to stay where they are");
        }
        doc->held[doc->nheld++] = body;
    }
    return DAL_OK;
}

dal_status dal_io_close_loops(dal_ctx *ctx, const dal_document *doc, const dal_system *system, dal_data *data,
                              double *q, dal_assembly_report *report)
{
    int *factor = dal_alloc(ctx, ((size_t)doc->nheld + 1) * sizeof *factor);
    if (factor == NULL) {
        return dal_io_no_memory(ctx);
    }
    for (int k = 0; k < doc->nheld; ++k) {
        factor[k] = dal_model_body_factor(doc->model, doc->held[k]);
    }
    const dal_status st = dal_assemble_with(ctx, system, data, q, report, 0.0, factor, doc->nheld, tolerance);
    dal_free(ctx, factor);
    return st;
}

dal_status dal_document_assemble(dal_document *doc, dal_assembly_report *report, const dal_system *system)
{
    DAL_NEED(NULL, doc);
    DAL_NEED(doc->ctx, system);
    dal_assembly_report own, *rep = report != NULL ? report : &own;
    const size_t nq = (size_t)system->group->nq, nv = (size_t)system->group->nv;
    *rep = (dal_assembly_report){0};
    double *q = dal_alloc(doc->ctx, (nq + nv) * sizeof(double) + nv * sizeof(int)), *v = q + nq;
    if (q == NULL) {
        return dal_io_no_memory(doc->ctx);
    }
    int *given = (int *)(v + nv);
    memcpy(q, dal_model_q0(doc->model), nq * sizeof(double));
    memcpy(v, dal_model_v0(doc->model), nv * sizeof(double));
    dal_status st = doc->assemble ? dal_io_close_loops(doc->ctx, doc, system, NULL, q, rep) : DAL_OK;
    st = st == DAL_OK ? dal_model_given(doc->model, given) : st;
    for (size_t i = 0; st == DAL_OK && i < nv; ++i) {
        rep->velocities_given +=
            given[i] && !(system->names.is_state != NULL && system->names.is_state((int)i, system->user));
    }
    st = st == DAL_OK ? dal_complete_velocities(doc->ctx, system, v, &rep->velocities_kept, 0.0, q, given) : st;
    st = st == DAL_OK ? dal_model_set_initial(doc->model, q, v) : st;
    dal_free(doc->ctx, q);
    return st;
}
