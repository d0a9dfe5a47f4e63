/* Flexible bodies and their interface nodes: flexible.c, for the other files of the generator. */
#ifndef DAL_GENERATE_FLEXIBLE_IMPL_H
#define DAL_GENERATE_FLEXIBLE_IMPL_H

#include "generate/generate_impl.h"

int gen_is_flexible(const mb_body *b);
int gen_is_node(const mb_body *b);
int gen_has_flexible(const gen *g);
int gen_velocities(const mb_body *b); /* of its own: frame and modes; 0: an interface node */
void gen_set_node_lift(gen *g, int i);
gen_part gen_modes_of(const gen *g, int node, int k); /* part k > 0 */
int gen_modes_parts(const mb_body *b);
double gen_node_arm(const mb_body *b);   /* how far it is from the frame of its body; 0: not a node */
int gen_touched(const gen *g, int node); /* does anything act on it? */
void gen_print_flexible_tables(gen *g);  /* their numbers */
void gen_print_flexible_fields(gen *g, int i);
void gen_print_flexible_state(gen *g, int i, const char *q, const char *v); /* sums at a state */
void gen_print_node_state(gen *g, int i, const char *q, const char *v, const char *vd, int lifts);
void gen_print_flexible_inertia(gen *g, int i);
void gen_print_flexible_residual(gen *g, int i); /* r of its velocities */
void gen_print_flexible_block(gen *g, int i);
void gen_print_flexible_mass(gen *g, int i);     /* for the saddle system */
void gen_print_flexible_energies(gen *g, int i); /* T, V += */
void gen_print_flexible_sums(gen *g, int i);     /* p, L += */
void gen_print_flexible_damping(gen *g, int i, const char *to);
void gen_print_recovery(gen *g, int i); /* opens a block: all[] */

#endif
