/* The robot while it is read: lists that grow, names, and what was told about them. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "import/import_impl.h"

/* One more element of a list, zero; a scrap after a failure. */
static void *grown(im_reader *R, void **array, int *room, int *n, size_t size)
{
    if (R->st == DAL_OK) {
        R->st = dal_grow(R->ctx, array, room, *n + 1, size);
    }
    return R->st == DAL_OK ? (char *)*array + size * (size_t)(*n)++ : memset(R->scrap, 0, size);
}

#define GROWN(R, list, count, room) grown(R, (void **)&(R)->list, &(R)->room, &(R)->count, sizeof *(R)->list)

/* Is the name in the list already? */
static int is_listed(const dal_text *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *p = list->n > 0 ? strstr(list->s, name) : NULL; p != NULL; p = strstr(p + 1, name)) {
        if ((p == list->s || p[-1] == ' ') && (p[n] == ',' || p[n] == '\0')) {
            return 1;
        }
    }
    return 0;
}

void im_tell(im_reader *R, int lost, const char *what, const char *name)
{
    im_note *note = NULL;
    for (int k = 0; k < R->nnotes && note == NULL; ++k) {
        note = strcmp(R->note[k].what, what) == 0 ? &R->note[k] : NULL;
    }
    if (note == NULL) {
        note = GROWN(R, note, nnotes, note_room);
        *note = (im_note){.what = im_copy(R, what), .names = {.ctx = R->ctx}, .lost = lost};
    }
    if (R->st == DAL_OK && !is_listed(&note->names, name)) {
        dal_text_print(&note->names, "%s%s", note->names.n > 0 ? ", " : "", name);
    }
}

int im_find_link(const im_reader *R, const char *name)
{
    for (int k = 0; name != NULL && k < R->nlinks; ++k) {
        if (strcmp(R->link[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

int im_find_joint(const im_reader *R, const char *name)
{
    for (int k = 0; name != NULL && k < R->njoints; ++k) {
        if (strcmp(R->joint[k].name, name) == 0) {
            return k;
        }
    }
    return -1;
}

im_link *im_add_link(im_reader *R, const im_element *at, const char *name)
{
    if (im_find_link(R, name) >= 0) {
        im_fail(R, at, "two links are called '%.100s'", name);
    }
    im_link *l = GROWN(R, link, nlinks, link_room);
    *l = (im_link){.name = im_copy(R, name), .at = at, .place = im_here, .joint = -1, .body = -1, .in_body = im_here};
    return l;
}

im_joint *im_add_joint(im_reader *R, const im_element *at, const char *name)
{
    if (im_find_joint(R, name) >= 0) {
        im_fail(R, at, "two joints are called '%.100s'", name);
    }
    im_joint *j = GROWN(R, joint, njoints, joint_room);
    *j = (im_joint){
        .name = im_copy(R, name), .at = at, .parent = -1, .child = -1, .a = im_here, .b = im_here, .leader = -1};
    return j;
}

void im_add_root(im_reader *R, int link, const im_pose *place, int is_free)
{
    const im_link *l = &R->link[link];
    char name[IM_NAME] = "root";
    for (int k = 2; im_find_joint(R, name) >= 0; ++k) {
        snprintf(name, sizeof name, "root%d", k);
    }
    im_joint *j = im_add_joint(R, l->at, name);
    j->kind = is_free ? IM_FREE : IM_FIXED;
    j->child = link;
    if (is_free) {
        memcpy(j->q, place, sizeof *place);
    } else {
        j->a = *place;
    }
}

im_gear *im_add_gear(im_reader *R, const char *name)
{
    im_gear *g = GROWN(R, gear, ngears, gear_room);
    *g = (im_gear){.name = im_copy(R, name)};
    return g;
}

im_tendon *im_add_tendon(im_reader *R, const char *name)
{
    im_tendon *t = GROWN(R, tendon, ntendons, tendon_room);
    *t = (im_tendon){.name = im_copy(R, name)};
    return t;
}

/* A name for a variable: prefix_name, with other characters than letters and digits as '_', not taken yet. */
static void variable_name(const im_reader *R, char variable[IM_NAME], const char *prefix, const char *name)
{
    enum { LONGEST = 56 }; // of names in expressions, with room for a number
    int taken = 1, n = snprintf(variable, LONGEST, "%s_%s", prefix, name);
    n = n < LONGEST ? n : LONGEST - 1;
    for (int k = 0; k < n; ++k) {
        variable[k] = isalnum((unsigned char)variable[k]) ? variable[k] : '_';
    }
    for (int count = 2; taken; ++count) {
        taken = 0;
        for (int k = 0; k + 1 < R->ninputs; ++k) {
            taken |= strcmp(R->input[k].variable, variable) == 0;
        }
        if (taken) {
            snprintf(variable + n, (size_t)(IM_NAME - n), "_%d", count);
        }
    }
}

/* Motors of several joints have one name in some descriptions: NAME_2, ... */
static const char *unused_name(im_reader *R, const char *name)
{
    char text[2 * IM_NAME];
    snprintf(text, sizeof text, "%.200s", name);
    for (int k = 0, count = 2; k + 1 < R->ninputs; ++k) {
        if (strcmp(R->input[k].name, text) == 0) {
            snprintf(text, sizeof text, "%.200s_%d", name, count++);
            k = -1; // look through all of them again
        }
    }
    return im_copy(R, text);
}

im_input *im_add_input(im_reader *R, const char *prefix, const char *name)
{
    im_input *u = GROWN(R, input, ninputs, input_room);
    *u = (im_input){.name = unused_name(R, name), .joint = -1, .tendon = -1, .link = -1, .gear = 1.0, .gain = 1.0};
    variable_name(R, u->variable, prefix, name);
    return u;
}

im_shape *im_add_shape(im_reader *R, im_shape **list)
{
    im_shape *s = im_take(R, 1, sizeof *s);
    if (s != NULL) {
        s->shape.rotation[0] = 1.0;
        s->shape.scale = 1.0;
        for (; *list != NULL; list = &(*list)->next) {
        }
        *list = s;
    }
    return s;
}
