/* Functions of one variable. */
#include <stdio.h>

#include "generate/generate_impl.h"

static int is(const mb_function *f, const char *type)
{
    return strcmp(f->type->name, type) == 0;
}

dal_status gen_check_function(gen *g, int number, const char *what, const char *name)
{
    const mb_function *f = &g->m->function[number];
    if (is(f, "user")) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "generate: %s '%s' follows function '%s', a callback, which generated code does not have", what,
                        name, g->m->function_names.name[number - 1]);
    }
    for (int k = 0; k < f->nf; ++k) {
        DAL_TRY(gen_check_function(g, f->f[k], what, name));
    }
    return DAL_OK;
}

static void print_leaf(gen *g, const mb_function *f, const char *y, const char *x)
{
    char c[24];
    snprintf(c, sizeof c, "c%d", ++g->temporaries);
    if (is(f, "table")) {
        PUT("    const double %s[%d] = {", c, f->nc);
        for (int i = 0; i < f->nc; ++i) {
            char text[GEN_NAME];
            PUT("%s%s", i > 0 ? ", " : "", gen_literal(text, sizeof text, f->c[i]));
        }
        PUT("};\n    function_table(%s, %s, %d, %d, %s);\n", y, c, f->n, f->interpolation == DAL_INTERPOLATION_PERIODIC,
            x);
        return;
    }
    PUT("    ");
    gen_array(g, c, f->c, f->n);
    if (is(f, "constant")) {
        PUT("    %s[0] = %s[0];\n    %s[1] = %s[2] = REAL(0.0);\n", y, c, y, y);
    } else if (is(f, "polynomial")) {
        PUT("    function_polynomial(%s, %s, %d, %s);\n", y, c, f->n, x);
    } else {
        PUT("    function_%s(%s, %s, %s);\n", f->type->name, y, c, x);
    }
}

void gen_print_function(gen *g, int number, const char *y, const char *x)
{
    const mb_function *f = &g->m->function[number];
    PUT("    { // function %s\n", gen_comment(g->m->function_names.name[number - 1]).s);
    if (f->nf == 0) {
        print_leaf(g, f, y, x);
    } else {
        const int product = is(f, "product");
        char inner[16];
        snprintf(inner, sizeof inner, "y%d", ++g->temporaries);
        PUT("    %s[0] = REAL(%s);\n    %s[1] = %s[2] = REAL(0.0);\n", y, product ? "1.0" : "0.0", y, y);
        for (int k = 0; k < f->nf; ++k) {
            PUT("    {\n    real %s[3];\n", inner);
            gen_print_function(g, f->f[k], inner, x);
            PUT(product ? "    function_times(%s, %s);\n    }\n" : "    add3(%s, %s, %s);\n    }\n", y,
                product ? inner : y, inner);
        }
    }
    PUT("    }\n");
}
