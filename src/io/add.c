/* What a description becomes: an element of the model that is built, or, while a binding records, what follows from values. */
#include <string.h>

#include "io/binding_impl.h"

static dal_status at_element(const io_loader *L, const io_node *at, dal_status st)
{
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

dal_status dal_io_add_body(io_loader *L, const io_node *at, const dal_body *body)
{
    if (L->record == NULL) {
        return at_element(L, at, dal_model_add_body(L->model, &L->number, body));
    }
    const int number = dal_model_find_body(L->model, body->name);
    dal_io_keep_fields(L, MB_BODY, number, &(io_lists){{body}, {sizeof *body}});
    L->record->moved[number] |= dal_io_has_live(L, body->position, 3) || dal_io_has_live(L, body->rotation, 4);
    return DAL_OK;
}

dal_status dal_io_add_flexible(io_loader *L, const io_node *at, const dal_flexible *body)
{
    if (L->record == NULL) {
        return at_element(L, at, dal_model_add_flexible(L->model, &L->number, body));
    }
    const int n = dal_model_modes(L->model, NULL, NULL, L->number);
    const size_t size = (size_t)n * sizeof(double);
    dal_io_keep_fields(L, MB_BODY, L->number,
                       &(io_lists){{body, body->modal, body->modal_velocity}, {sizeof *body, size, size}});
    L->record->moved[L->number] |= dal_io_has_live(L, body->position, 3) || dal_io_has_live(L, body->rotation, 4) ||
                                   (body->modal != NULL && dal_io_has_live(L, body->modal, n));
    return DAL_OK;
}

dal_status dal_io_add_joint(io_loader *L, const io_node *at, const dal_joint *joint)
{
    if (L->record == NULL) {
        return at_element(L, at, dal_model_add_joint(L->model, NULL, joint));
    }
    io_item *item = dal_io_keep_fields(L, MB_JOINT, dal_model_find_joint(L->model, joint->name),
                                       &(io_lists){{joint}, {sizeof *joint}});
    item->call = (io_callbacks){.rows = joint->rows,
                                .rows_along = joint->rows_along,
                                .calling_break = joint->rows_break,
                                .user = joint->user,
                                .n = joint->nparameters};
    return DAL_OK;
}

dal_status dal_io_add_force(io_loader *L, const io_node *at, const dal_force *force)
{
    if (L->record == NULL) {
        return at_element(L, at, dal_model_add_force(L->model, NULL, force));
    }
    const size_t size = (size_t)force->ninputs * sizeof *force->inputs;
    io_item *item = dal_io_keep_fields(L, MB_FORCE, dal_model_find_force(L->model, force->name),
                                       &(io_lists){{force, force->inputs}, {sizeof *force, size}});
    item->call = (io_callbacks){.law = force->law,
                                .calling_law = force->calling_law,
                                .calling_break = force->calling_break,
                                .next_break = force->law_break,
                                .user = force->user,
                                .n = force->nparameters};
    return DAL_OK;
}

dal_status dal_io_add_function(io_loader *L, int *number, const io_node *at, const dal_function *function)
{
    if (L->record == NULL) {
        return at_element(L, at, dal_model_add_function(L->model, number, function));
    }
    *number = dal_model_find_function(L->model, function->name);
    const size_t size = (size_t)function->n * sizeof(double);
    io_item *item =
        dal_io_keep_fields(L, MB_FUNCTION, *number,
                           &(io_lists){{function, function->c != NULL ? function->c : function->x, function->y},
                                       {sizeof *function, size, size}});
    item->call = (io_callbacks){.call_with = function->call_with,
                                .next_break = function->next_break,
                                .function_calling = function->calling,
                                .calling_break = function->calling_break,
                                .user = function->user};
    return DAL_OK;
}

/* A model may ask for an output that its part has, too. */
static int has_output(const io_loader *L, const char *name)
{
    const int n = L->record != NULL ? L->record->noutputs : dal_model_output_count(L->model);
    for (int k = 0; k < n; ++k) {
        if (strcmp(dal_model_output_info(L->model, k).name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

dal_status dal_io_add_output(io_loader *L, const io_node *at, const dal_output *output)
{
    int number;
    if (L->scope != NULL && has_output(L, output->name)) {
        return DAL_OK;
    }
    if (L->record != NULL) {
        dal_io_keep_fields(L, MB_OUTPUT, L->record->noutputs++, &(io_lists){{&output->frame}, {sizeof output->frame}});
        return DAL_OK;
    }
    DAL_TRY(at_element(L, at, dal_model_add_output(L->model, &number, output)));
    return dal_io_trail_of_output(L, at, output);
}

dal_status dal_io_add_event(io_loader *L, const io_node *at, const dal_model_event *event)
{
    if (L->record == NULL) {
        return at_element(L, at, dal_model_add_event(L->model, NULL, event));
    }
    io_item *item = dal_io_keep_fields(L, MB_EVENT, L->record->nevents++, &(io_lists){{event}, {sizeof *event}});
    item->call = (io_callbacks){.values = event->calling, .user = event->user, .n = event->nparameters};
    return DAL_OK;
}

dal_status dal_io_gravity(io_loader *L, const io_node *root)
{
    io_real x[3] = {{0.0, 0}};
    double gravity[3];
    dal_io_note_unit(L, dal_json_member(root->json, "gravity"), "m/s^2");
    DAL_TRY(dal_io_vector_if(L, x, root, "gravity"));
    dal_io_store(L, gravity, x, 3);
    if (L->record == NULL) {
        return dal_model_set_gravity(L->model, gravity);
    }
    dal_io_keep_fields(L, MB_GRAVITY, 0, &(io_lists){{gravity}, {sizeof gravity}});
    return DAL_OK;
}
