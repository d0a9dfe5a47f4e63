/* dalembert/elements.h - the types of elements that a model can have, and their keys.
 *
 * Model files, their schema, the tables of the manual, and the keyword arguments of other languages are derived from
 * these lists. A type is added where it is implemented; see CONTRIBUTING.md. */
#ifndef DALEMBERT_ELEMENTS_H
#define DALEMBERT_ELEMENTS_H

#include "dalembert/mbs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the value of a key is in a model file, and what it becomes in the description (dal_body, dal_joint, ...). */
typedef enum dal_key_kind {
    DAL_KEY_NUMBER,      /* double */
    DAL_KEY_VECTOR,      /* double[3]; two numbers mean z = 0 */
    DAL_KEY_NUMBERS,     /* double[n] */
    DAL_KEY_LIST,        /* any number of numbers */
    DAL_KEY_FLAG,        /* int */
    DAL_KEY_TEXT,        /* const char * */
    DAL_KEY_CHOICE,      /* int: which of `words` */
    DAL_KEY_CHOICES,     /* unsigned: list of `words`, a bit for each */
    DAL_KEY_COORDINATE,  /* dal_coordinate; its axis (int) is at `second` */
    DAL_KEY_FUNCTION,    /* int: number of a function */
    DAL_KEY_BODY,        /* int: number of a body */
    DAL_KEY_COEFFICIENT, /* of a function: number n of its list c */
    /* the others have readers of their own */
    DAL_KEY_FRAME,
    DAL_KEY_ROTATION,
    DAL_KEY_SPIN, /* a vector, or a number about z */
    DAL_KEY_INERTIA,
    DAL_KEY_SHAPES,
    DAL_KEY_BEAM,
    DAL_KEY_MODES,
    DAL_KEY_FILE,
    DAL_KEY_ACTIVE,
    DAL_KEY_BODIES,
    DAL_KEY_ROWS,
    DAL_KEY_EXPRESSION,
    DAL_KEY_INPUTS,
    DAL_KEY_FUNCTIONS,
    DAL_KEY_COLUMN, /* a list of numbers, or which column of a file */
    DAL_KEY_WHOLE,  /* int */
    DAL_KEY_ARRAY,  /* lists of numbers within lists, n deep */
    DAL_KEY_VALUE   /* of the form `form` */
} dal_key_kind;

/* "number", "vector", ... */
DAL_API const char *dal_key_kind_name(dal_key_kind kind);

#define DAL_KEY_NOWHERE ((size_t)-1)

typedef struct dal_key {
    const char *name;
    dal_key_kind kind;
    const char *unit; /* "m", "N/m or N m/rad"; "" where it has none */
    const char *text; /* what it means, in a few words */
    size_t offset;    /* of its field in the description; DAL_KEY_NOWHERE: there is no such field */
    size_t second;    /* DAL_KEY_COORDINATE: of the axis */
    int required;
    int n;                    /* DAL_KEY_NUMBERS: how many; DAL_KEY_ARRAY: how deep */
    const char *const *words; /* DAL_KEY_CHOICE, DAL_KEY_CHOICES: up to NULL */
    const char *preset;       /* value if it is missing, as text; NULL: zero, none, or as the text says */
    const char *word;         /* DAL_KEY_CHOICE, DAL_KEY_CHOICES: what one of the words is; NULL: what the key says */
    const char *form;         /* DAL_KEY_VALUE: its definition in the schema */
    const char *
        range; /* of numbers: "> 0", ">= 0 <= 1", ">= mu" (another key), "rising"; NULL: any. Without `required` 0 is what
                                 is left out, and never outside */
} dal_key;

/* What an element is attached to, hence which keys it has to say so. */
typedef enum dal_place {
    DAL_PLACE_NONE,
    DAL_PLACE_BODY,           /* a frame of a body */
    DAL_PLACE_BODIES,         /* frames of two bodies */
    DAL_PLACE_ENDS,           /* the same, at two points that differ */
    DAL_PLACE_JOINT,          /* a joint */
    DAL_PLACE_BODIES_OR_JOINT /* frames of two bodies, or those of a joint */
} dal_place;

typedef struct dal_element_type {
    const char *section; /* of a model file: "bodies", "joints", "forces", "functions", "outputs" */
    const char *name;    /* the word for "type"; for "quantity" of an output */
    const char *text;    /* what it is, in a sentence */
    const dal_key *keys; /* its own, nkeys of them */
    const char *one_of;  /* "mass|density shape": one of these sets of keys must be there; NULL: no such rule */
    dal_place place;
    int nkeys;
} dal_element_type;

DAL_API int dal_element_type_count(void);
DAL_API dal_element_type dal_element_type_at(int k); /* 0 .. count - 1; name is NULL if there is no such number */
/* Its number, or -1. */
DAL_API int dal_element_type_find(const char *section, const char *name);

/* All keys of a type: those of every element of its section, those of its place, its own. "type" or "quantity", and
 * "note", which every object may have, are not among them. */
DAL_API int dal_element_key_count(const dal_element_type *type);
DAL_API const dal_key *dal_element_key(const dal_element_type *type, int k); /* NULL: there is no such number */

#ifdef __cplusplus
}
#endif
#endif
