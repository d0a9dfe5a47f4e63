/* XML as a tree, by expat. Entities are refused, so are trees without end: a description is a small thing. */
#define XML_STATIC 1
#include <expat.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "import/import_impl.h"

#define NUMBER_MAX 1e100

void im_fail(im_reader *R, const im_element *at, const char *format, ...)
{
    char text[600];
    va_list args;
    if (R->st != DAL_OK) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    R->st = at != NULL ? dal_fail(R->ctx, DAL_EINVAL, "%s:%d: %s", at->file, at->line, text)
                       : dal_fail(R->ctx, DAL_EINVAL, "%s: %s", R->path, text);
}

void *im_take(im_reader *R, size_t count, size_t size)
{
    void *p = R->st == DAL_OK ? dal_pool_take(&R->pool, count, size) : NULL;
    R->st = R->st == DAL_OK && p == NULL ? DAL_ENOMEM : R->st;
    return p;
}

const char *im_copy(im_reader *R, const char *text)
{
    char *copy = R->st == DAL_OK ? dal_pool_text(&R->pool, text) : NULL;
    R->st = R->st == DAL_OK && copy == NULL ? DAL_ENOMEM : R->st;
    return copy != NULL ? copy : "";
}

/* ---- building --------------------------------------------------------------------------------- */

typedef struct builder {
    im_reader *R;
    XML_Parser parser;
    const char *file;
    im_element *root, *open;
    dal_text text; /* of the innermost element, which has no others */
    int depth;
} builder;

/* Stop the parser with a message at the line that it has reached. */
static void stop(builder *b, const char *what)
{
    const im_element here = {.file = b->file, .line = (int)XML_GetCurrentLineNumber(b->parser)};
    im_fail(b->R, &here, "%s", what);
    XML_StopParser(b->parser, XML_FALSE);
}

static void XMLCALL begin(void *user, const char *name, const char **attribute)
{
    builder *b = user;
    im_reader *R = b->R;
    if (++R->elements > IM_ELEMENTS_MAX || ++b->depth > IM_DEPTH_MAX) {
        stop(b, b->depth > IM_DEPTH_MAX ? "elements are nested too deeply" : "too many elements");
        return;
    }
    int n = 0;
    while (attribute[n] != NULL) {
        ++n;
    }
    im_element *e = im_take(R, 1, sizeof *e);
    const char **list = im_take(R, (size_t)n + 1, sizeof *list);
    if (list == NULL) {
        XML_StopParser(b->parser, XML_FALSE);
        return;
    }
    for (int k = 0; k < n; ++k) {
        list[k] = im_copy(R, attribute[k]);
    }
    *e = (im_element){.name = im_copy(R, name), .text = "", .attribute = list, .file = b->file, .parent = b->open};
    e->line = (int)XML_GetCurrentLineNumber(b->parser);
    if (b->open == NULL) {
        b->root = e;
    } else if (b->open->last == NULL) {
        b->open->first = b->open->last = e;
    } else {
        b->open->last = b->open->last->next = e;
    }
    b->open = e;
    b->text.n = 0;
}

static void XMLCALL end(void *user, const char *name)
{
    (void)name;
    builder *b = user;
    if (b->open->first == NULL && b->text.n > 0) {
        b->open->text = im_copy(b->R, b->text.s);
    }
    b->open = b->open->parent;
    b->text.n = 0;
    --b->depth;
}

static void XMLCALL characters(void *user, const char *s, int n)
{
    dal_text_put_n(&((builder *)user)->text, s, (size_t)n);
}

static void XMLCALL entity(void *user, const XML_Char *name, int parameter, const XML_Char *value, int n,
                           const XML_Char *base, const XML_Char *system, const XML_Char *id, const XML_Char *notation)
{
    (void)name, (void)parameter, (void)value, (void)n, (void)base, (void)system, (void)id, (void)notation;
    stop(user, "declares an entity, which descriptions of robots have no use for: write its text instead");
}

static void parse(builder *b, const char *text, size_t n)
{
    im_reader *R = b->R;
    XML_SetUserData(b->parser, b);
    XML_SetElementHandler(b->parser, begin, end);
    XML_SetCharacterDataHandler(b->parser, characters);
    XML_SetEntityDeclHandler(b->parser, entity);
    const enum XML_Status status = XML_Parse(b->parser, text, (int)n, 1);
    if (status != XML_STATUS_OK && R->st == DAL_OK) {
        const im_element here = {.file = b->file, .line = (int)XML_GetCurrentLineNumber(b->parser)};
        im_fail(R, &here, "column %d: this is no XML: %s", (int)XML_GetCurrentColumnNumber(b->parser) + 1,
                XML_ErrorString(XML_GetErrorCode(b->parser)));
    }
}

im_element *im_xml(im_reader *R, const char *path, const char *text, size_t n)
{
    builder b = {.R = R, .file = im_copy(R, path), .text = {.ctx = R->ctx}};
    if (n > IM_BYTES_MAX || ++R->files > IM_FILES_MAX) {
        im_fail(R, NULL, "%s", n > IM_BYTES_MAX ? "is too large" : "too many files include each other");
    }
    if (R->st == DAL_OK) {
        b.parser = XML_ParserCreate(NULL);
        R->st = b.parser == NULL ? dal_fail(R->ctx, DAL_ENOMEM, "no memory for the description") : DAL_OK;
    }
    if (R->st == DAL_OK) {
        parse(&b, text, n);
        XML_ParserFree(b.parser);
    }
    R->st = b.text.failed && R->st == DAL_OK ? dal_fail(R->ctx, DAL_ENOMEM, "no memory for the description") : R->st;
    dal_text_release(&b.text);
    return R->st == DAL_OK ? b.root : NULL;
}

im_element *im_xml_file(im_reader *R, const char *path)
{
    char *text = NULL;
    size_t n = 0;
    R->st = R->st == DAL_OK ? dal_file_read(R->ctx, &text, &n, path, IM_BYTES_MAX, "a description") : R->st;
    im_element *root = R->st == DAL_OK ? im_xml(R, path, text, n) : NULL;
    dal_free(R->ctx, text);
    return root;
}

/* ---- reading ---------------------------------------------------------------------------------- */

const im_element *im_child(const im_element *of, const char *name, const im_element *before)
{
    const im_element *e = before != NULL ? before->next : of != NULL ? of->first : NULL;
    while (e != NULL && name != NULL && strcmp(e->name, name) != 0) {
        e = e->next;
    }
    return e;
}

int im_is_in(const char *word, const char *list)
{
    const size_t n = strlen(word);
    for (const char *p = strstr(list, word); n > 0 && p != NULL; p = strstr(p + 1, word)) {
        if (p[-1] == ' ' && p[n] == ' ') {
            return 1;
        }
    }
    return 0;
}

const char *im_attribute(const im_element *at, const char *name)
{
    for (int k = 0; at != NULL && at->attribute[k] != NULL; k += 2) {
        if (strcmp(at->attribute[k], name) == 0) {
            return at->attribute[k + 1];
        }
    }
    return NULL;
}

const char *im_needed(im_reader *R, const im_element *at, const char *name)
{
    const char *value = im_attribute(at, name);
    if (value == NULL) {
        im_fail(R, at, "<%s> needs the attribute '%s'", at->name, name);
    }
    return value != NULL ? value : "";
}

int im_numbers(im_reader *R, const im_element *at, const char *what, const char *text, double *x, int least, int most)
{
    static const char blanks[] = " \t\r\n,";
    int n = 0;
    for (const char *p = text; p != NULL && R->st == DAL_OK; ++n) {
        p += strspn(p, blanks);
        const size_t length = strcspn(p, blanks);
        double value = 0.0;
        if (length == 0) {
            break;
        }
        if (n == most) {
            im_fail(R, at, "<%s>: '%s' has more than %d numbers: \"%.60s\"", at->name, what, most, text);
        } else if (!dal_number_parse(&value, p, length) || fabs(value) > NUMBER_MAX) {
            im_fail(R, at, "<%s>: '%.*s' of '%s' is not a number%s", at->name, (int)(length < 40 ? length : 40), p,
                    what, strstr(text, "${") != NULL ? ": this looks like xacro, which has to be expanded first" : "");
        } else {
            x[n] = value;
        }
        p += length;
    }
    if (text != NULL && n < least) {
        im_fail(R, at, "<%s>: '%s' needs %d numbers, it has %d: \"%.60s\"", at->name, what, least, n, text);
    }
    return n;
}

int im_vector(im_reader *R, const im_element *at, const char *attribute, double *x, int n)
{
    return im_numbers(R, at, attribute, im_attribute(at, attribute), x, n, n);
}

double im_number(im_reader *R, const im_element *at, const char *attribute, double otherwise)
{
    (void)im_vector(R, at, attribute, &otherwise, 1);
    return otherwise;
}
