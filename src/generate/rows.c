/* Scalar rows between two frames: the code of their types with axes and constants, and the frames they are between. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "generate/generate_impl.h"

int gen_row_known(const mb_row_type *type)
{
    return type->code.gradient != NULL;
}

/* The code of a row (MB_ROW), whose words stand for its axes, its constant and what is computed from them. */
static void put_code(gen *g, const mb_row *r, const char *code, const char *result, const char *la)
{
    while (*code != '\0') {
        char c[2 * GEN_NAME];
        size_t n = 0;
        while (isalnum((unsigned char)code[n]) || code[n] == '_') {
            ++n;
        }
        const char word = n == 1 ? *code : '\0';
        const int member = word == 'P' && code[1] == '-'; // P->d: here the pairing is no pointer
        if (n == 0) {
            PUT("%c", *code);
        } else if (n == 2 && strncmp(code, "la", 2) == 0) {
            PUT("%s", la);
        } else if (word == 'A' || word == 'B') {
            PUT("P.side[%d].E + %d", word == 'B', 3 * (word == 'A' ? r->i : r->j));
        } else if (word == 'i' || word == 'j') {
            PUT("%d", word == 'i' ? r->i : r->j);
        } else if (word == 'c') {
            gen_term_text(c, sizeof c, gen_number(g, &r->c));
            PUT("%s", c);
        } else if (word == 'P') {
            PUT(member ? "P." : "&P");
        } else if (word == 'g' || word == 'H') {
            PUT("%s", result);
        } else {
            gen_put_n(g->out, code, n);
        }
        code += n == 0 ? 1 : member ? 3 : n;
    }
}

void gen_print_gradient(gen *g, const mb_row *r, const char *to)
{
    PUT("    ");
    put_code(g, r, r->type->code.gradient, to, "");
    PUT(";\n");
}

void gen_print_hessian(gen *g, const mb_row *r, const char *H, const char *la)
{
    PUT("    ");
    put_code(g, r, r->type->code.hessian, H, la);
    PUT(";\n");
}

/* A Hessian H that is zero where it will be used. */
void gen_print_clear(gen *g, int rotational)
{
    PUT("    mb_hessian H;\n");
    if (!rotational) {
        PUT("    memset(&H, 0, sizeof H);\n");
    }
    for (int k = 0; k < 4 && rotational; ++k) {
        PUT("    memset(H.H[%d][1][%d][1], 0, 9 * sizeof(real));\n", k / 2, k % 2);
    }
}

void gen_print_phi(gen *g, const mb_row *r, const char *to)
{
    PUT("    %s = ", to);
    put_code(g, r, r->type->code.phi != NULL ? r->type->code.phi : "REAL(0.0)", to, "");
    PUT(";\n");
}

/* V^T H of a row into z. */
void gen_print_contract(gen *g, const mb_row *r, const char *z)
{
    if (r->type->code.contract != NULL) {
        PUT("    ");
        put_code(g, r, r->type->code.contract, z, "");
        PUT(";\n");
        return;
    }
    PUT("    {\n    mb_hessian unit;\n    memset(&unit, 0, sizeof unit);\n");
    gen_print_hessian(g, r, "&unit", "REAL(1.0)");
    PUT("    row_contract(%s, &unit, &P);\n    }\n", z);
}

void gen_print_pairing(gen *g, const mb_marker marker[2], int level, unsigned axes)
{
    char state[2][2 * GEN_NAME];
    for (int i = 0; i < 2; ++i) {
        gen_state_text(g, state[i], sizeof state[i], marker[i].body);
    }
    gen_print_pairing_of(g, marker, level, axes, state[0], state[1]);
}

void gen_print_pairing_of(gen *g, const mb_marker marker[2], int level, unsigned axes, const char *at_a,
                          const char *at_b)
{
    PUT("    mb_pairing P;\n");
    for (int i = 0; i < 2; ++i) {
        const mb_marker *m = &marker[i];
        const int turned = (axes & (i == 0 ? MB_AXES_A : MB_AXES_B)) != 0;
        char name[16], A[16] = "NULL";
        const char *state = i == 0 ? at_a : at_b;
        snprintf(name, sizeof name, "a%d", i);
        PUT("    ");
        gen_array(g, name, m->a, 3);
        if (turned) {
            snprintf(A, sizeof A, "A%d", i);
            PUT("    ");
            gen_array(g, A, m->A, 9);
        }
        if (m->body == 0) {
            PUT("    mb_side_fixed(&P.side[%d], %s, %s, %s);\n", i, state, name, A);
        } else {
            PUT("    mb_side_at(&P.side[%d], %s, %s, %s, %d, %d);\n", i, state, name, A, level, turned);
        }
    }
    PUT("    sub3(P.d, P.side[1].p, P.side[0].p);\n");
}
