/* Scalar rows between two frames: the code of their types with axes and constants, and the frames they are between. */
#include <stdio.h>

#include "generate/generate_impl.h"

int gen_row_known(const mb_row_type *type)
{
    return type->code.gradient != NULL;
}

/* The code of a row with its axes and its constant. */
static void put_code(gen *g, const mb_row *r, const char *code, const char *result, const char *la)
{
    for (; *code != '\0'; ++code) {
        char c[2 * GEN_NAME];
        if (*code != '$') {
            PUT("%c", *code);
            continue;
        }
        switch (*++code) {
        case 'A':
            PUT("P.side[0].E + %d", 3 * r->i);
            break;
        case 'B':
            PUT("P.side[1].E + %d", 3 * r->j);
            break;
        case 'c':
            gen_term_text(c, sizeof c, gen_number(g, &r->c));
            PUT("%s", c);
            break;
        case 'l':
            PUT("%s", la);
            break;
        case 'i':
        case 'j':
            PUT("%d", *code == 'i' ? r->i : r->j);
            break;
        default: // $g, $H
            PUT("%s", result);
        }
    }
}

void gen_print_gradient(gen *g, const mb_row *r, const char *to)
{
    PUT("    ");
    put_code(g, r, r->type->code.gradient, to, "");
    PUT("\n");
}

void gen_print_hessian(gen *g, const mb_row *r, const char *H, const char *la)
{
    PUT("    ");
    put_code(g, r, r->type->code.hessian, H, la);
    PUT("\n");
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
        PUT("\n");
        return;
    }
    PUT("    {\n    mb_hessian unit;\n    memset(&unit, 0, sizeof unit);\n");
    gen_print_hessian(g, r, "&unit", "REAL(1.0)");
    PUT("    row_contract(%s, &unit, &P);\n    }\n", z);
}

void gen_print_pairing(gen *g, const mb_marker marker[2], int level, unsigned axes)
{
    PUT("    mb_pairing P;\n");
    for (int i = 0; i < 2; ++i) {
        const mb_marker *m = &marker[i];
        const int turned = (axes & (i == 0 ? MB_AXES_A : MB_AXES_B)) != 0;
        char name[16], A[16] = "NULL", state[2 * GEN_NAME];
        snprintf(name, sizeof name, "a%d", i);
        PUT("    ");
        gen_array(g, name, m->a, 3);
        if (turned) {
            snprintf(A, sizeof A, "A%d", i);
            PUT("    ");
            gen_array(g, A, m->A, 9);
        }
        gen_state_text(g, state, sizeof state, m->body);
        if (m->body == 0) {
            PUT("    mb_side_fixed(&P.side[%d], %s, %s, %s);\n", i, state, name, A);
        } else {
            PUT("    mb_side_at(&P.side[%d], %s, %s, %s, %d, %d);\n", i, state, name, A, level, turned);
        }
    }
    PUT("    sub3(P.d, P.side[1].p, P.side[0].p);\n");
}
