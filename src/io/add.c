/* What a description becomes: an element of the model that is loaded, or numbers of one of a simulation. */
#include "io/binding_impl.h"

static dal_status at_element(const io_loader *L, const io_node *at, dal_status st)
{
    return st == DAL_OK ? st : dal_io_fail_at(L, at, st);
}

dal_status dal_io_add_body(io_loader *L, const io_node *at, const dal_body *body)
{
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        L->number = dal_model_find_body(L->model, body->name);
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, at, dal_data_set_body(L->data, L->number, body));
    default:
        return at_element(L, at, dal_model_add_body(L->model, &L->number, body));
    }
}

dal_status dal_io_add_flexible(io_loader *L, const io_node *at, const dal_flexible *body)
{
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, at, dal_data_set_flexible(L->data, L->number, body));
    default:
        return at_element(L, at, dal_model_add_flexible(L->model, &L->number, body));
    }
}

dal_status dal_io_add_joint(io_loader *L, const io_node *at, const dal_joint *joint)
{
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        L->number = dal_model_find_joint(L->model, joint->name);
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, at, dal_data_set_joint(L->data, L->number, joint));
    default:
        return at_element(L, at, dal_model_add_joint(L->model, &L->number, joint));
    }
}

dal_status dal_io_add_force(io_loader *L, const io_node *at, const dal_force *force)
{
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        L->number = dal_model_find_force(L->model, force->name);
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, at, dal_data_set_force(L->data, L->number, force));
    default:
        return at_element(L, at, dal_model_add_force(L->model, &L->number, force));
    }
}

dal_status dal_io_add_function(io_loader *L, int *number, const io_node *at, const dal_function *function)
{
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        *number = dal_model_find_function(L->model, function->name);
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, at, dal_data_set_function(L->data, *number, function));
    default:
        return at_element(L, at, dal_model_add_function(L->model, number, function));
    }
}

dal_status dal_io_add_output(io_loader *L, const io_node *at, const dal_output *output)
{
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        L->number = L->record->noutputs++;
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, at, dal_data_set_output(L->data, L->number, &output->frame));
    default:
        DAL_TRY(at_element(L, at, dal_model_add_output(L->model, &L->number, output)));
        return dal_io_trail_of_output(L, at, output);
    }
}

dal_status dal_io_gravity(io_loader *L, const io_node *root)
{
    double gravity[3] = {0.0};
    dal_io_note_unit(L, dal_json_member(root->json, "gravity"), "m/s^2");
    DAL_TRY(dal_io_vector_if(L, gravity, root, "gravity"));
    switch (dal_io_mode(L)) {
    case IO_RECORD:
        return DAL_OK;
    case IO_REPLAY:
        return at_element(L, root, dal_data_set_gravity(L->data, gravity));
    default:
        return dal_model_set_gravity(L->model, gravity);
    }
}
