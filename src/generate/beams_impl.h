/* Elements of beams in programs: one by one (beams.c), or several at a time (packs.c). */
#ifndef DAL_GENERATE_BEAMS_IMPL_H
#define DAL_GENERATE_BEAMS_IMPL_H

#include "generate/generate_impl.h"
#include "generate/support.h"
#include "mbs/beam_impl.h"

/* beams.c */
const char *gen_beam_name(const gen *g, const mb_span *s);
int gen_beam_kind(const gen *g, int k);             /* the first element that has the functions of element k */
void gen_print_beam_kind(gen *g, int k);            /* these functions */
int gen_beam_loses(const gen *g, const mb_span *s); /* does it have one for what damping takes? */
int gen_beam_turned(const mb_span *s);              /* are there nodes with frames of their own in their bodies? */
void gen_beam_numbers(double *p, const mb_span *s); /* weight, slope and strain of the reference of each point */
/* Section frame `to` of node number i; q: where coordinates are */
void gen_print_node(gen *g, const mb_node *n, int i, const char *to, const char *q);
void gen_print_arms(gen *g, const mb_span *s);        /* a, A, c of the nodes that have frames of their own */
void gen_print_node_forces(gen *g, const mb_span *s); /* r of an element to its bodies */
void gen_print_beam_blocks(gen *g, const mb_span *s); /* K and C of an element to the blocks of its bodies */

/* packs.c */
int gen_packed(const gen *g, const mb_span *s); /* is it evaluated with others? */
void gen_print_pack_residuals(gen *g);
void gen_print_pack_tangents(gen *g);
void gen_print_pack_potentials(gen *g);
void gen_print_pack_losses(gen *g, const char *to);

#endif
