/* JSON (RFC 8259) as a tree of values that does not change. A tree is one block of memory, from the context. */
#ifndef DAL_IO_JSON_H
#define DAL_IO_JSON_H

#include "dalembert/base.h"

typedef enum dal_json_kind {
    DAL_JSON_NULL,
    DAL_JSON_FALSE,
    DAL_JSON_TRUE,
    DAL_JSON_NUMBER,
    DAL_JSON_TEXT,
    DAL_JSON_LIST,
    DAL_JSON_OBJECT
} dal_json_kind;

typedef struct dal_json dal_json;
struct dal_json {
    dal_json_kind kind;
    int line;        /* of the text, from 1 on */
    size_t n;        /* values of a list or an object */
    const char *key; /* of a member; NULL: the value is none */
    union {
        double number;
        const char *text;            /* UTF-8 without zeros in it */
        const dal_json *const *item; /* n, in the order of the file */
    } of;
};

/* A list or an object from n bytes of text. Keys are given once, values are nested at most 512 deep, numbers are finite. `name`
 * stands for the file in messages: "NAME:LINE:COLUMN: what is wrong", with the column of the end of what was found. */
dal_status dal_json_parse(const dal_json **out, dal_ctx *ctx, const char *text, size_t n,
                          const char *name) DAL_NODISCARD;
/* NULL is fine. */
void dal_json_destroy(const dal_json *json, dal_ctx *ctx);

/* Text as JSON, in quotation marks and without a zero at the end; returns the number of characters, which alone are counted if
 * `to` is NULL. 0: the text is not UTF-8. */
size_t dal_json_quote(char *to, const char *text);

/* What a value is; all answers are no, zero or NULL for one that is not there. */
static inline int dal_json_is(const dal_json *json, dal_json_kind kind)
{
    return json != NULL && json->kind == kind;
}

static inline int dal_json_is_flag(const dal_json *json)
{
    return dal_json_is(json, DAL_JSON_TRUE) || dal_json_is(json, DAL_JSON_FALSE);
}

static inline double dal_json_number(const dal_json *json)
{
    return dal_json_is(json, DAL_JSON_NUMBER) ? json->of.number : 0.0;
}

static inline const char *dal_json_text(const dal_json *json)
{
    return dal_json_is(json, DAL_JSON_TEXT) ? json->of.text : NULL;
}

/* Number of values of a list, of members of an object. */
static inline size_t dal_json_length(const dal_json *list)
{
    return dal_json_is(list, DAL_JSON_LIST) ? list->n : 0;
}

static inline size_t dal_json_members(const dal_json *object)
{
    return dal_json_is(object, DAL_JSON_OBJECT) ? object->n : 0;
}

/* Number k of a list or an object; NULL: there is none. */
static inline const dal_json *dal_json_item(const dal_json *json, size_t k)
{
    return (dal_json_is(json, DAL_JSON_LIST) || dal_json_is(json, DAL_JSON_OBJECT)) && k < json->n ? json->of.item[k]
                                                                                                   : NULL;
}

/* The member of an object; NULL: there is none. */
const dal_json *dal_json_member(const dal_json *object, const char *key);

#endif
