/* Parts of a model, and names in them. It is a piece of io_impl.h. */
#ifndef DAL_IO_PARTS_IMPL_H
#define DAL_IO_PARTS_IMPL_H

#include "io/io_impl.h"

/* Where names of expressions are looked up (variables.c). */
dal_lookup dal_io_lookup(const io_loader *L);

/* ---- lists in elements (load.c) ------------------------------------------------------------ */

/* A list inside of an element, with repetitions, into an array of the scratch pool: `read` fills one item, zero before. *n: how many. */
typedef dal_status (*io_item_reader)(io_loader *L, void *item, const io_node *at, void *user);
dal_status dal_io_collect(io_loader *L, void **list, int *n, const io_node *at, const char *key, size_t size,
                          io_item_reader read, void *user) DAL_NODISCARD;

/* ---- parts (parts.c) -------------------------------------------------------------------------- */

/* Read the files that parts use, into *L->files; the text of the document becomes one that has them all in it. */
dal_status dal_io_load_files(io_loader *L, const io_node *root) DAL_NODISCARD;
dal_status dal_io_join_files(io_loader *L, const io_node *root) DAL_NODISCARD;
void dal_io_files_destroy(io_file *list, dal_ctx *ctx);
/* Visit the parts of a model; the visitor visits the parts of these. */
dal_status dal_io_parts(io_loader *L, const io_node *root, io_reader visit) DAL_NODISCARD;
/* dal_io_each over the model, its parts, and their parts. */
dal_status dal_io_everywhere(io_loader *L, const io_node *root, const char *key, io_reader read) DAL_NODISCARD;
/* The body that is the ground of the part that is being read. */
dal_status dal_io_ground(const io_loader *L, int *body) DAL_NODISCARD;
/* The pose that places in an element are relative to: that of the body "in" it, or of the part. *given: 0 if it is the world. */
dal_status dal_io_reference(const io_loader *L, io_real pose[7], int *given, const io_node *at) DAL_NODISCARD;
/* A frame relative to it becomes one in the world. */
dal_status dal_io_placed(const io_loader *L, io_real frame[7], const io_node *at) DAL_NODISCARD;
/* A vector in the axes of the part becomes one in those of the world; the same for a field of a description. */
dal_status dal_io_turned(const io_loader *L, io_real vector[3], const io_node *at) DAL_NODISCARD;
dal_status dal_io_turn_field(const io_loader *L, double field[3], const io_node *at) DAL_NODISCARD;
/* Is a joint or force of this full name left out? */
int dal_io_left_out(const io_loader *L, const char *name);
/* A text that names an element, with the prefix of the part. */
dal_status dal_io_name(const io_loader *L, char name[IO_TEXT], const io_node *at) DAL_NODISCARD;

#endif
