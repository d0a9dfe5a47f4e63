/* The list `beams`, whose elements may be joined to nodes of those that stand behind them. */
#ifndef DAL_IO_BEAMS_H
#define DAL_IO_BEAMS_H

#include "io/io_impl.h"

dal_status dal_io_beams(io_loader *L, const io_node *root) DAL_NODISCARD;

/* beams.c: read one, and those that it waits for */
dal_status dal_io_beam(io_loader *L, const io_node *at) DAL_NODISCARD;
/* beam_joins.c: its ends, and what slides along it */
dal_status dal_io_beam_joins(io_loader *L, dal_exact_beam *beam, const io_node *at) DAL_NODISCARD;
dal_status dal_io_beam_slides(io_loader *L, dal_exact_beam *beam, const io_node *at) DAL_NODISCARD;
/* beam_places.c: places of the beam of this full name that the model, and those it is a part of, name; *n of them, parts of its length */
dal_status dal_io_beam_places(const io_loader *L, double **s, int *n, const io_node *at,
                              const char *name) DAL_NODISCARD;
/* Has another one waited for this beam, so that it has been read before its turn? */
int dal_io_beam_done(const io_loader *L, const char *name);

#endif
