/* Inside of bindings: what is recorded of a document, and the state while that is done. */
#ifndef DAL_IO_BINDING_IMPL_H
#define DAL_IO_BINDING_IMPL_H

#include "io/io_impl.h"

enum { IO_LIVE_MAX = 1024 };

/* Memory of a binding; freed with it. */
typedef struct io_owned {
    struct io_owned *next;
    void *p;
} io_owned;

/* An element whose numbers depend on the values. */
typedef struct io_item {
    io_reader read;
    const char *path; /* of the element in the file, for messages */
    const char *name; /* of a function */
    const dal_json *json;
    io_entry *entry;
    int n, number;
} io_item;

struct dal_binding {
    dal_ctx *ctx;
    dal_document *doc;
    const dal_json *json;
    io_types types;
    int n, nlive;                 /* values; and variables that depend on them */
    const char **name;            /* nlive: of variables; "" of a number of an element */
    const dal_expression **value; /* nlive - n: of the variables, each of those before it */
    io_item *item;
    int nitems, capacity;
    const dal_expression *t_end, *h; /* of the live values; NULL: as in the file */
    io_owned *owned;
};

struct io_recorder {
    dal_binding *b;
    const char *const *given; /* names of the values */
    int *found;               /* n: the number of an element was there */
    double *value;            /* nlive: as in the document */
    unsigned char *moved;     /* bodies whose initial pose depends on the values */
    int noutputs;             /* so far */
    const char *section;      /* "" for gravity */
    const char *element;      /* its name, for addresses */
    const io_node *root;      /* of the element */
    char near[IO_TEXT];       /* an address like the first that was not found */
};

/* Let the binding free a block; it is freed at once if there is no memory for that. */
dal_status dal_io_own_block(dal_binding *b, void *block) DAL_NODISCARD;
/* Memory that the binding frees; NULL: there is none. */
void *dal_io_own(dal_binding *b, size_t size);
const char *dal_io_own_text(dal_binding *b, const char *text);
/* An expression of the live values; *e is NULL if it does not depend on any of them. */
dal_status dal_io_formula(const io_loader *L, const dal_expression **e, const char *text) DAL_NODISCARD;

#endif
