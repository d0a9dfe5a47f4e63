/* Forces along one coordinate, laws and states, rotors; part of generate_impl.h. */
#ifndef DAL_GENERATE_ALONG_IMPL_H
#define DAL_GENERATE_ALONG_IMPL_H

/* along.c */
/* A number of the model as text. */
void gen_number_text(gen *g, char *to, size_t size, const double *value);
/* Frames P, gradient gr, coordinate c and its rate cd. */
void gen_print_along(gen *g, const mb_marker marker[2], const mb_row *row, const char *t);
/* Q gr, on both bodies */
void gen_print_along_force(gen *g, const mb_marker marker[2], const char *Q);
/* Tangents of l[0] gr, and b0, b1: gr on the bodies; follows: of l[1] and l[2] too, by c and cd. */
void gen_print_along_geometry(gen *g, const mb_marker *marker, const mb_row *row, int follows);
/* e[2]: elongation and its rate */
void gen_print_elongation(gen *g, const mb_force *f, const char *t);
/* "to = value;" as the output force_value has it */
void gen_print_along_value(gen *g, const mb_force *f, const char *to);
void gen_print_along_residual(gen *g, const mb_force *f, const mb_row *row, int k);
void gen_print_along_tangent(gen *g, const mb_force *f, const mb_row *row, int k);
void gen_print_friction_columns(gen *g); /* of all friction forces, nothing else of them */
/* What K or C of two bodies is called. */
void gen_pair_text(const gen *g, int i, int j, char kind, char *to, size_t size);

/* laws.c */
void gen_print_law_value(gen *g, const mb_force *f, const char *to);
void gen_print_law_residual(gen *g, const mb_force *f);
void gen_print_law_tangent(gen *g, const mb_force *f);
void gen_print_state_residual(gen *g, const mb_force *f);
void gen_print_state_tangent(gen *g, const mb_force *f);

/* armature.c */
void gen_print_armature_residual(gen *g, const mb_force *f);
void gen_print_armature_tangent(gen *g, const mb_force *f);
void gen_print_armature_value(gen *g, const mb_force *f, const char *to);

#endif
