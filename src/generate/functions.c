/* Functions of one variable. */
#include <stdio.h>

#include "base/message.h"
#include "generate/expressions_impl.h"

static int is(const mb_function *f, const char *type)
{
    return strcmp(f->type->name, type) == 0;
}

static io_formula formula_of(const mb_function *f)
{
    return dal_io_formula_of_function(&(dal_function){.call = f->call, .call_with = f->call_with, .user = f->user});
}

dal_status gen_check_function(gen *g, int number, const char *what, const char *name)
{
    const mb_function *f = &g->m->function[number];
    if (mb_function_is_map(f)) {
        return dal_fail(
            g->ctx, DAL_EINVAL,
            "generate: %s '%s' calls function '%s' of type map, which generated code does not have; run the "
            "model by the library",
            what, name, g->m->function_names.name[number - 1]);
    }
    if (f->calling) {
        return dal_fail(
            g->ctx, DAL_EINVAL,
            "generate: %s '%s' follows function '%s', which calls functions; in generated code laws do that", what,
            name, g->m->function_names.name[number - 1]);
    }
    if (is(f, "user") && !formula_of(f).e) {
        return dal_fail(g->ctx, DAL_EINVAL,
                        "generate: %s '%s' follows function '%s', a callback, which generated code does not have", what,
                        name, g->m->function_names.name[number - 1]);
    }
    for (int i = 0; is(f, "table") && i < 2 * f->n; ++i) {
        const int by = gen_parameter_of(g->p->nodes, &f->c[i]);
        if (by >= 0) {
            return dal_fail(g->ctx, DAL_EINVAL,
                            "generate: parameter '%s' changes the table of function '%s', which programs keep "
                            "constant; leave it out, or run the model by the library",
                            g->p->parameter[by], g->m->function_names.name[number - 1]);
        }
    }
    for (int k = 0; k < f->nf; ++k) {
        DAL_TRY(gen_check_function(g, f->f[k], what, name));
    }
    return DAL_OK;
}

/* An expression: all names of the argument stand for x, numbers behind them are coefficients. */
static void print_formula(gen *g, const mb_function *f, const char *y, const char *x)
{
    const io_formula formula = formula_of(f);
    const int n = dal_expression_inputs(formula.e) - formula.nparameters;
    gen_input in[GEN_INPUTS];
    for (int k = 0; k < n; ++k) {
        in[k] = gen_input_named(x, x);
    }
    for (int k = 0; k < formula.nparameters; ++k) {
        in[n + k] = gen_input_number(g, &f->c[k]);
    }
    gen_print_curve(g, formula.e, in, y);
}

static void print_leaf(gen *g, const mb_function *f, const char *y, const char *x)
{
    char c[24];
    if (is(f, "user")) {
        print_formula(g, f, y, x);
        return;
    }
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
