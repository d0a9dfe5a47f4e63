/* Places of a beam that the file names become nodes: "blade@0.7" in the model that has it, "rotor.blade@0.7" in those that use that model
 * as a part. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/beams.h"
#include "mbs/parameters.h"

typedef struct places {
    const char *name; /* as it is called where they are looked for */
    double *s;
    int n, capacity;
} places;

static dal_status keep_place(const io_loader *L, places *p, double s)
{
    if (p->n == p->capacity) {
        const double *before = p->s;
        p->capacity = 2 * p->capacity + 8;
        DAL_TAKE(L->scratch, p->s, p->capacity);
        for (int k = 0; k < p->n; ++k) {
            p->s[k] = before[k];
        }
    }
    p->s[p->n++] = s;
    return DAL_OK;
}

/* What is behind the name of the beam in a text that begins with it; {...} stands for any letters. NULL: it does not. */
static const char *behind_name(const char *text, const char *name) // NOLINT(misc-no-recursion): the text gets shorter
{
    for (; *name != '\0' && *text == *name && *text != '{'; ++text, ++name) {
    }
    const char *close = *text == '{' ? strchr(text, '}') : NULL;
    if (close == NULL) {
        return *name == '\0' && *text == '@' ? text : NULL;
    }
    for (;; ++name) {
        const char *rest = behind_name(close + 1, name);
        if (rest != NULL || *name == '\0') {
            return rest;
        }
    }
}

/* "blade@0.7", "blade@0.7.position", "blade@0:1:5.position": but what is an output of the beam itself may be anywhere */
static dal_status note_place(const io_loader *L, places *p, const char *text)
{
    static const char *const anywhere[] = {".section_force", ".section_moment", ".strain", ".curvature"};
    const char *place = behind_name(text, p->name);
    double from, to;
    int count;
    if (place == NULL) {
        return DAL_OK;
    }
    for (size_t k = 0; k < sizeof anywhere / sizeof *anywhere; ++k) {
        if (strstr(place, anywhere[k]) != NULL) {
            return DAL_OK;
        }
    }
    if (sscanf(place, "@%lf:%lf:%d", &from, &to, &count) != 3) {
        const char *end;
        return keep_place(L, p, mb_read_place(place + 1, &end));
    }
    for (int k = 0; k < count && count <= 10000; ++k) {
        DAL_TRY(keep_place(L, p, from + (to - from) * k / (count > 1 ? count - 1 : 1)));
    }
    return DAL_OK;
}

/* The models of parts have names of their own. */
static dal_status find_places(const io_loader *L, places *p, const dal_json *json) // NOLINT(misc-no-recursion)
{
    if (dal_json_is(json, DAL_JSON_TEXT)) {
        return note_place(L, p, dal_json_text(json));
    }
    const int object = dal_json_is(json, DAL_JSON_OBJECT);
    const size_t n = object ? dal_json_members(json) : dal_json_length(json);
    for (size_t k = 0; k < n; ++k) {
        const dal_json *one = dal_json_item(json, k);
        const int apart = object && (strcmp(one->key, "beam") == 0 ||
                                     (strcmp(one->key, "model") == 0 && dal_json_is(one, DAL_JSON_OBJECT)));
        DAL_TRY(apart ? DAL_OK : find_places(L, p, one));
    }
    return DAL_OK;
}

dal_status dal_io_beam_places(const io_loader *L, double **s, int *n, const io_node *at, const char *name)
{
    places p = {.name = name};
    const io_node *root = at;
    for (const io_scope *scope = L->scope; scope != NULL; scope = scope->outer->scope) {
        p.name = name + strlen(scope->prefix);
        DAL_TRY(find_places(L, &p, scope->model->json));
        root = scope->part;
    }
    while (root->up != NULL) {
        root = root->up;
    }
    p.name = name;
    DAL_TRY(find_places(L, &p, root->json));
    *s = p.s;
    *n = p.n;
    return DAL_OK;
}
