/* Contact groups: "contacts": [{"bodies": ["ball*"], "planes": [...], "mu": 0.3}]. */
#include "dalembert/contacts.h"

#include <string.h>

#include "base/memory.h"
#include "io/io_impl.h"

/* Lists of a group while it is read. Bodies of pairs follow those of the group. */
typedef struct group_lists {
    int *bodies, nbodies, body_room;
    int nown; /* of the group */
    dal_frame *planes;
    int nplanes;
    dal_contact_pair *pairs;
    int npairs;
} group_lists;

/* The name of a body, or its beginning and a star. */
static dal_status read_body(const io_loader *L, group_lists *g, const io_node *at)
{
    char name[IO_TEXT];
    DAL_TRY(dal_io_name(L, name, at));
    const size_t n = strlen(name);
    const int before = g->nbodies;
    if (n == 0 || name[n - 1] != '*') {
        DAL_GROW(L->ctx, g->bodies, g->body_room, g->nbodies + 1);
        return dal_io_body_number(L, &g->bodies[g->nbodies++], at);
    }
    for (int k = 0; dal_model_body_name(L->model, k) != NULL; ++k) {
        if (strncmp(dal_model_body_name(L->model, k), name, n - 1) == 0) {
            DAL_GROW(L->ctx, g->bodies, g->body_room, g->nbodies + 1);
            g->bodies[g->nbodies++] = k;
        }
    }
    return g->nbodies > before ? DAL_OK : dal_io_fail(L, at, "no body begins with '%.*s'", (int)n - 1, name);
}

static dal_status read_plane(io_loader *L, void *plane, const io_node *at, void *group)
{
    dal_frame *to = plane;
    (void)group;
    io_real x[7] = {{0.0, 0}};
    int ground;
    DAL_TRY(dal_io_ground(L, &ground));
    if (ground != DAL_GROUND) {
        return dal_io_fail(L, at,
                           "planes of contacts are fixed to the ground, and that of this part is '%s': let a shape of "
                           "that body be the plane",
                           dal_model_body_name(L->model, ground));
    }
    DAL_TRY(dal_io_frame(L, x, at));
    DAL_TRY(dal_io_placed(L, x, &(io_node){.json = NULL}));
    for (int k = 0; k < 7; ++k) {
        *(k < 3 ? &to->position[k] : &to->rotation[k - 3]) = x[k].x;
    }
    return DAL_OK;
}

/* The bodies of a list, how many. */
static dal_status read_bodies(const io_loader *L, group_lists *g, int *n, const io_node *at, const char *key)
{
    io_node list;
    const int before = g->nbodies;
    if (dal_io_member(&list, at, key)) {
        DAL_TRY(dal_io_list(L, &list, 1, IO_LIST_MAX));
        for (size_t k = 0; k < dal_io_length(&list); ++k) {
            const io_node element = dal_io_element(&list, k);
            DAL_TRY(read_body(L, g, &element));
        }
    }
    *n = g->nbodies - before;
    return DAL_OK;
}

static dal_status read_pair(io_loader *L, void *item, const io_node *at, void *group)
{
    io_texts texts;
    dal_contact_pair *pair = item;
    DAL_TRY(dal_io_read(L, pair, &texts, at, dal_io_form("contact_pair")));
    DAL_TRY(read_bodies(L, group, &pair->na, at, "a"));
    return read_bodies(L, group, &pair->nb, at, "b");
}

/* Where the bodies of the pairs are, now that the list does not move any more. Without b: a touches a. */
static void place_pairs(const group_lists *g)
{
    const int *next = g->bodies + g->nown;
    for (int k = 0; k < g->npairs; ++k) {
        dal_contact_pair *p = &g->pairs[k];
        p->a = next;
        p->b = p->nb > 0 ? next + p->na : next;
        next += p->na + p->nb;
        p->nb = p->nb > 0 ? p->nb : p->na;
    }
}

/* Without "bodies" those of a part are its own that have shapes. */
static dal_status take_part(const io_loader *L, group_lists *g)
{
    int body;
    for (int k = 0; dal_model_shape(L->model, &body, k) != NULL; ++k) {
        const char *name = dal_model_body_name(L->model, body), *prefix = L->scope->prefix;
        if (strncmp(name, prefix, strlen(prefix)) == 0 && !dal_model_shape(L->model, &body, k)->swept) {
            DAL_GROW(L->ctx, g->bodies, g->body_room, g->nbodies + 1);
            g->bodies[g->nbodies++] = body;
        }
    }
    g->nown = g->nbodies;
    return DAL_OK;
}

static dal_status read_lists(io_loader *L, group_lists *g, const io_node *at)
{
    io_node list;
    DAL_TRY(dal_io_member(&list, at, "bodies") || L->scope == NULL ? read_bodies(L, g, &g->nown, at, "bodies")
                                                                   : take_part(L, g));
    void *pairs, *planes;
    DAL_TRY(dal_io_collect(L, &pairs, &g->npairs, at, "pairs", sizeof *g->pairs, read_pair, g));
    g->pairs = pairs;
    place_pairs(g);
    DAL_TRY(dal_io_collect(L, &planes, &g->nplanes, at, "planes", sizeof *g->planes, read_plane, g));
    g->planes = planes;
    return DAL_OK;
}

static dal_status read_group(io_loader *L, const io_node *at)
{
    if (L->record != NULL) {
        return dal_io_must_be_fixed(L, at, "contact groups are made when the model is compiled");
    }
    io_texts texts;
    char name[IO_TEXT];
    dal_contact_group group = {.name = dal_io_full_name(L, name, "contacts")};
    group_lists lists = {0};
    DAL_TRY(dal_io_read(L, &group, &texts, at, dal_io_form("contact_group")));
    dal_status st = read_lists(L, &lists, at);
    if (st == DAL_OK) {
        group.bodies = lists.nown > 0 ? lists.bodies : NULL;
        group.nbodies = lists.nown;
        group.pairs = lists.pairs;
        group.npairs = lists.npairs;
        group.planes = lists.planes;
        group.nplanes = lists.nplanes;
        st = dal_model_add_contacts(L->model, &group);
        st = st == DAL_OK ? st : dal_io_fail_at(L, at, st);
    }
    dal_free(L->ctx, lists.bodies);
    return st;
}

dal_status dal_io_contacts(io_loader *L, const io_node *root)
{
    return dal_io_everywhere(L, root, "contacts", read_group);
}
