/* Numbers that a program has as literals, which are those of tables: no parameter may change them. */
#include "base/message.h"
#include "generate/generate_impl.h"

static int is_table(const mb_function *f)
{
    return strcmp(f->type->name, "table") == 0;
}

/* The numbers of all tables, one after the other, copied to x or compared with it; the first function that differs, or 0. */
static int visit_tables(const mb_instance *at, double *x, int copy)
{
    int differs = 0;
    for (int k = 1; k <= at->of->function_names.n; ++k) {
        const mb_function *f = &at->function[k];
        for (int i = 0; is_table(f) && i < f->nc; ++i, ++x) {
            differs = !copy && differs == 0 && *x != f->c[i] ? k : differs;
            *x = copy ? f->c[i] : *x;
        }
    }
    return differs;
}

static size_t count_numbers(const mb_instance *at)
{
    size_t n = 0;
    for (int k = 1; k <= at->of->function_names.n; ++k) {
        n += is_table(&at->function[k]) ? (size_t)at->function[k].nc : 0;
    }
    return n;
}

static dal_status check_parameter(const dal_program *p, const double *own, int which, double *x)
{
    double values[GEN_PARAMETERS], other[GEN_PARAMETERS];
    mb_instance *at;
    gen_sample(values, own, p->nparameters, 0);
    gen_sample(other, own, p->nparameters, 1);
    DAL_TRY(gen_take_values(p, values, &at));
    (void)visit_tables(at, x, 1);
    values[which] = other[which];
    DAL_TRY(gen_take_values(p, values, &at));
    const int k = visit_tables(at, x, 0);
    return k == 0 ? DAL_OK
                  : dal_fail(p->ctx, DAL_EINVAL,
                             "generate: parameter '%s' changes the table of function '%s', which programs keep "
                             "constant; leave it out, or run the model by the library",
                             p->parameter[which], at->of->function_names.name[k - 1]);
}

dal_status gen_check_literals(const dal_program *p, const double *own)
{
    mb_instance *at;
    DAL_TRY(mb_instance_of(&at, dal_document_model(p->doc), dal_sim_data(p->sim)));
    const size_t n = count_numbers(at);
    if (n == 0) {
        return DAL_OK;
    }
    double *x = dal_alloc_zero(p->ctx, n * sizeof *x);
    if (!x) {
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the tables");
    }
    dal_status st = DAL_OK;
    for (int i = 0; i < p->nparameters && st == DAL_OK; ++i) {
        st = check_parameter(p, own, i, x);
    }
    dal_free(p->ctx, x);
    return st;
}
