/* What is switched while a program runs; part of generate_impl.h. */
#ifndef DAL_GENERATE_EVENTS_IMPL_H
#define DAL_GENERATE_EVENTS_IMPL_H

dal_status gen_events(gen *g);        /* refusals; before forces and joints are looked at */
int gen_switches(const gen *g);       /* is anything switched while the program runs? */
int gen_hidden_outputs(const gen *g); /* what events depend on, behind the outputs of the model */
/* "if (it acts) {", at the state of w, and what ends that */
void gen_open_switched(gen *g, const mb_force *f);
void gen_close_switched(gen *g, const mb_force *f);
void gen_print_acts(gen *g);               /* before everything that asks */
dal_status gen_print_event_values(gen *g); /* before the numbers that follow from parameters are printed */
void gen_print_events(gen *g);
void gen_print_event_prototypes(gen *g);

/* masks.c */
dal_status gen_masks(gen *g);                     /* joints that are switched: how many; refusals */
int gen_mask_of(const gen *g, int constraint);    /* its number among these; -1: it always holds */
int gen_joint_switch(const gen *g, int joint);    /* its number among all that is switched */
const mb_joint *gen_switched_joint(const gen *g); /* the first one */
int gen_jumps(const gen *g);                      /* may rows or velocities jump at events? */
int gen_rows_may_all_open(const gen *g);
void gen_mask_rows(gen *g); /* of the matrix */
void gen_print_masked_residual(gen *g);
void gen_print_masked_tangent(gen *g);
void gen_print_masked_levels(gen *g);
void gen_print_joint_times(gen *g);
void gen_print_switch_rows(gen *g);
void gen_print_kept_frames(gen *g);
void gen_print_jumps(gen *g, const gen_key *start); /* keys of a start */

/* gaps.c */
dal_status gen_gaps(gen *g); /* limits and ropes: how many rows; refusals of other contacts */
void gen_print_gap_numbers(gen *g);
void gen_print_gaps(gen *g, const gen_key *start); /* keys of a start */

/* outputs.c */
int gen_output_known(const gen *g, const mb_output *o);
void gen_print_watched(gen *g); /* what events depend on, to y */

#endif
