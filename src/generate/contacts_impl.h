/* Contacts with the compliant law in programs: contacts.c. */
#ifndef DAL_GENERATE_CONTACTS_IMPL_H
#define DAL_GENERATE_CONTACTS_IMPL_H

#include "generate/generate_impl.h"

dal_status gen_contact_check(gen *g, const mb_force *f);
void gen_contact_memory(gen *g, const mb_force *f); /* entries of g->angle */
void gen_print_contact_memory(gen *g, int k,
                              const char *dt); /* entry k and those that follow it; dt NULL: at the start */
void gen_print_contact_residual(gen *g, const mb_force *f);
void gen_print_contact_tangent(gen *g, const mb_force *f);
/* "to += what;" of all points: F, V or lost of compliant_point */
void gen_print_contact_sum(gen *g, const mb_force *f, const char *what, const char *to);

#endif
