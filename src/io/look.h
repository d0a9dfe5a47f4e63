/* Elements of a file that are looked for by their names, from where others stand. */
#ifndef DAL_IO_LOOK_H
#define DAL_IO_LOOK_H

#include "io/io_impl.h"

/* The model, or that of the part, to which something belongs. */
const io_node *dal_io_model_of(const io_loader *L, const io_node *at);
/* Another element is looked at for its name: an error if that was too often. */
dal_status dal_io_look(const io_loader *L, const io_node *at) DAL_NODISCARD;
/* Whose numbers are read while an element is recorded: those of another one have its addresses. Returns what it was. */
typedef struct io_identity {
    const char *section, *name;
    const io_node *root;
} io_identity;
io_identity dal_io_record_as(const io_loader *L, io_identity as);

#endif
