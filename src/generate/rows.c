/* Scalar rows between two frames: which kernel, which axes, which constant. */
#include <stdio.h>

#include "generate/generate_impl.h"

static int is_spin(const mb_row_type *type)
{
    return strcmp(type->name, "spin") == 0;
}

int gen_row_known(const mb_row_type *type)
{
    static const mb_row_type *const known[] = {&mb_row_dot,         &mb_row_axis,          &mb_row_square,
                                               &mb_row_length,      &mb_row_angle,         &mb_row_screw,
                                               &mb_row_disk_height, &mb_row_sphere_height, &mb_row_disk_slip,
                                               &mb_row_sphere_slip, &mb_row_edge};
    int taken = is_spin(type);
    for (size_t k = 0; k < sizeof known / sizeof known[0]; ++k) {
        taken |= type == known[k];
    }
    return taken;
}

/* Its constant as text. */
static void constant(gen *g, const mb_row *r, char *to, size_t size)
{
    gen_term_text(to, size, gen_number(g, &r->c));
}

void gen_print_gradient(gen *g, const mb_row *r, const char *to)
{
    const mb_row_type *t = r->type;
    char c[2 * GEN_NAME];
    if (t == &mb_row_dot) {
        PUT("    row_dot_gradient(%s, P.side[0].E + %d, P.side[1].E + %d);\n", to, 3 * r->i, 3 * r->j);
    } else if (t == &mb_row_axis) {
        PUT("    row_axis_gradient(%s, P.side[0].E + %d, P.d);\n", to, 3 * r->i);
    } else if (t == &mb_row_square) {
        constant(g, r, c, sizeof c);
        PUT("    row_difference_gradient(%s, 1.0 / %s, P.d);\n", to, c);
    } else if (t == &mb_row_length) {
        PUT("    row_length_gradient(%s, P.d);\n", to);
    } else if (t == &mb_row_angle) {
        PUT("    row_angle_gradient(%s, %d, &P);\n", to, r->i);
    } else if (is_spin(t)) {
        PUT("    row_spin_gradient(%s, P.side[0].E + %d);\n", to, 3 * r->i);
    } else if (t == &mb_row_edge) {
        PUT("    roll_edge_gradient(%s, %d, &P);\n", to, r->j);
    } else if (t == &mb_row_sphere_height) {
        PUT("    roll_height_gradient(%s, &P);\n", to);
    } else {
        constant(g, r, c, sizeof c);
        if (t == &mb_row_screw) {
            PUT("    row_screw_gradient(%s, %d, %s, &P);\n", to, r->i, c);
        } else if (t == &mb_row_disk_height) {
            PUT("    roll_disk_gradient(%s, %s, &P);\n", to, c);
        } else {
            PUT("    {\n        const row_contact contact = %s(%s, &P);\n        roll_slip_gradient(%s, %d, &P, "
                "&contact);\n    }\n",
                t == &mb_row_disk_slip ? "roll_disk" : "roll_sphere", c, to, r->i);
        }
    }
}

void gen_print_hessian(gen *g, const mb_row *r, const char *H, const char *la)
{
    const mb_row_type *t = r->type;
    char c[2 * GEN_NAME];
    if (t == &mb_row_dot) {
        PUT("    row_dot_hessian(%s, %s, P.side[0].E + %d, P.side[1].E + %d);\n", H, la, 3 * r->i, 3 * r->j);
    } else if (t == &mb_row_axis) {
        PUT("    row_axis_hessian(%s, %s, P.side[0].E + %d, P.d);\n", H, la, 3 * r->i);
    } else if (t == &mb_row_square) {
        constant(g, r, c, sizeof c);
        PUT("    row_square_hessian(%s, %s, %s);\n", H, la, c);
    } else if (t == &mb_row_length) {
        PUT("    row_length_hessian(%s, %s, P.d);\n", H, la);
    } else if (t == &mb_row_angle) {
        PUT("    row_angle_hessian(%s, %s, %d, &P);\n", H, la, r->i);
    } else if (is_spin(t)) {
        PUT("    row_spin_hessian(%s, %s, P.side[0].E + %d);\n", H, la, 3 * r->i);
    } else if (t == &mb_row_edge) {
        PUT("    roll_edge_hessian(%s, %s, %d, &P);\n", H, la, r->j);
    } else if (t == &mb_row_sphere_height) {
        PUT("    row_axis_hessian(%s, %s, roll_normal(&P), P.d);\n", H, la);
    } else {
        constant(g, r, c, sizeof c);
        if (t == &mb_row_screw) {
            PUT("    row_screw_hessian(%s, %s, %d, %s, &P);\n", H, la, r->i, c);
        } else if (t == &mb_row_disk_height) {
            PUT("    roll_disk_hessian(%s, %s, %s, &P);\n", H, la, c);
        } else {
            PUT("    {\n        const row_contact contact = %s(%s, &P);\n        roll_slip_hessian(%s, %s, %d, &P, "
                "&contact);\n"
                "    }\n",
                t == &mb_row_disk_slip ? "roll_disk" : "roll_sphere", c, H, la, r->i);
        }
    }
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
    const mb_row_type *t = r->type;
    char c[2 * GEN_NAME] = "";
    if (t == &mb_row_square || t == &mb_row_screw || t == &mb_row_disk_height || t == &mb_row_sphere_height) {
        constant(g, r, c, sizeof c);
    }
    PUT("    %s = ", to);
    if (t == &mb_row_dot) {
        PUT("dot3(P.side[0].E + %d, P.side[1].E + %d);\n", 3 * r->i, 3 * r->j);
    } else if (t == &mb_row_axis) {
        PUT("dot3(P.side[0].E + %d, P.d);\n", 3 * r->i);
    } else if (t == &mb_row_square) {
        PUT("row_square_phi(%s, P.d);\n", c);
    } else if (t == &mb_row_length) {
        PUT("row_length_phi(P.d);\n");
    } else if (t == &mb_row_angle) {
        PUT("row_angle_phi(%d, &P);\n", r->i);
    } else if (t == &mb_row_screw) {
        PUT("dot3(P.side[0].E + %d, P.d) - %s * row_angle_phi(%d, &P);\n", 3 * r->i, c, r->i);
    } else if (t == &mb_row_disk_height) {
        PUT("roll_disk_phi(%s, &P);\n", c);
    } else if (t == &mb_row_sphere_height) {
        PUT("dot3(roll_normal(&P), P.d) - %s;\n", c);
    } else {
        PUT("REAL(0.0);\n");
    }
}

/* V^T H of a row into z. */
void gen_print_contract(gen *g, const mb_row *r, const char *z)
{
    if (r->type == &mb_row_dot) {
        PUT("    row_dot_contract(%s, P.side[0].E + %d, P.side[1].E + %d, &P);\n", z, 3 * r->i, 3 * r->j);
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
