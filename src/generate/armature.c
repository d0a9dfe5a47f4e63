/* Rotors on a coordinate: forces by accelerations, and mass between two frames (MB.9). */
#include <stdio.h>

#include "generate/generate_impl.h"

/* Frames P with these states, gradient gr, the acceleration acc of the coordinate */
static void print_acceleration(gen *g, const mb_force *f, const char *at_a, const char *at_b)
{
    gen_print_pairing_of(g, f->marker, 2, f->row.type->axes, at_a, at_b);
    PUT("    real gr[12], contracted[12];\n");
    gen_print_gradient(g, &f->row, "gr");
    gen_print_contract(g, &f->row, "contracted");
    PUT("    const real acc = row_acceleration(gr, contracted, &P);\n");
}

/* The same at the state of w, and l[0] = J acc */
static void print_law(gen *g, const mb_force *f)
{
    char a[2 * GEN_NAME], b[2 * GEN_NAME], J[2 * GEN_NAME];
    gen_state_text(g, a, sizeof a, f->marker[0].body);
    gen_state_text(g, b, sizeof b, f->marker[1].body);
    gen_number_text(g, J, sizeof J, &f->d.inertia);
    print_acceleration(g, f, a, b);
    PUT("    const real l[1] = {%s * acc};\n", J);
}

void gen_print_armature_value(gen *g, const mb_force *f, const char *to)
{
    print_law(g, f);
    PUT("    %s = -l[0];\n", to);
}

void gen_print_armature_residual(gen *g, const mb_force *f)
{
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    print_law(g, f);
    gen_print_along_force(g, f->marker, "l[0]");
    PUT("    }\n");
}

/* D[j]: J acc by the position and the velocity of frame j, by differences as in the library */
static void print_derivatives(gen *g, const mb_force *f)
{
    char a[2 * GEN_NAME], b[2 * GEN_NAME], J[2 * GEN_NAME], d[GEN_NAME];
    gen_state_text(g, a, sizeof a, f->marker[0].body);
    gen_state_text(g, b, sizeof b, f->marker[1].body);
    gen_number_text(g, J, sizeof J, &f->d.inertia);
    gen_literal(d, sizeof d, MB_DIFFERENCE);
    PUT("    real D[2][12];\n    for (int n = 0; n < 48; ++n) {\n");
    PUT("        const int j = n / 24, k = n %% 24 / 2, side = n %% 2;\n        mb_state moved[2];\n");
    PUT("        moved[0] = *(%s);\n        moved[1] = *(%s);\n", a, b);
    PUT("        mb_perturb(&moved[j], k / 6, k %% 6, side ? %s : -%s);\n", d, d);
    print_acceleration(g, f, "&moved[0]", "&moved[1]");
    PUT("        D[j][k] = side ? %s * (acc - D[j][k]) / %s : acc;\n    }\n", J,
        gen_literal(d, sizeof d, 2.0 * MB_DIFFERENCE));
}

void gen_print_armature_tangent(gen *g, const mb_force *f)
{
    char J[2 * GEN_NAME];
    PUT("    { // force %s\n", gen_comment(gen_force_name(g, f)).s);
    print_derivatives(g, f);
    print_law(g, f);
    gen_print_along_geometry(g, f->marker, &f->row, 0);
    PUT("    real X[36];\n");
    gen_number_text(g, J, sizeof J, &f->d.inertia);
    for (int e = 0; e < 4; ++e) {
        const int i = e / 2, j = e % 2, bi = f->marker[i].body, bj = f->marker[j].body;
        for (int kind = 0; kind < 3 && bi > 0 && bj > 0; ++kind) {
            char to[3 * GEN_NAME];
            gen_pair_text(g, bi, bj, "KCM"[kind], to, sizeof to);
            if (kind < 2) {
                PUT("    force_outer(X, REAL(1.0), b%d, D[%d] + %d);\n", i, j, 6 * kind);
            } else {
                PUT("    force_outer(X, %s, b%d, b%d);\n", J, i, j);
            }
            PUT("    node_add_block(%s, X, 6);\n", to);
        }
        if (bi > 0 && bj > 0) {
            gen_pair *p = gen_pair_of(g, bi, bj);
            p->K = p->C = p->M = 15U;
        }
    }
    PUT("    }\n");
}
