/* Programs: their text, and the numbers of the members that run in them. */
#include "base/message.h"
#include "generate/generate_impl.h"

static char *copy_text(dal_ctx *ctx, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *to = dal_alloc_zero(ctx, n);
    if (to) {
        memcpy(to, text, n);
    }
    return to;
}

static dal_status copy_texts(dal_ctx *ctx, char ***to, const char *const *from, int n)
{
    *to = dal_alloc_zero(ctx, (size_t)(n + 1) * sizeof **to);
    for (int i = 0; *to && i < n; ++i) {
        (*to)[i] = copy_text(ctx, from[i]);
        if (!(*to)[i]) {
            return dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the names of the program");
        }
    }
    return *to ? DAL_OK : dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the names of the program");
}

static void free_texts(dal_ctx *ctx, char **text, int n)
{
    for (int i = 0; text && i < n; ++i) {
        dal_free(ctx, text[i]);
    }
    dal_free(ctx, text);
}

/* ---- constants that follow from parameters ---------------------------------------------------- */

/* Values at which the numbers are looked at: all parameters a little off, then each alone, twice. */
static void sample(double *values, const double *own, int n, int k)
{
    for (int i = 0; i < n; ++i) {
        const double off = k == 0 ? 0.031 + 0.007 * i : (k - 1) / 2 == i ? ((k - 1) % 2 == 0 ? 0.073 : -0.057) : 0.0;
        values[i] = own[i] != 0.0 ? own[i] * (1.0 + off) : off;
    }
}

static dal_status own_values(const dal_program *p, double *own)
{
    dal_document *doc;
    DAL_TRY(dal_document_open(&doc, p->ctx, p->source, (const char *const *)p->set, p->nset));
    dal_status st = DAL_OK;
    for (int i = 0; i < p->nparameters && st == DAL_OK; ++i) {
        int found = 0;
        for (int k = 0; k < dal_document_variable_count(doc); ++k) {
            const dal_variable v = dal_document_variable(doc, k);
            if (strcmp(v.name, p->parameter[i]) == 0) {
                own[i] = v.value;
                found = 1;
            }
        }
        if (!found) {
            st = dal_fail(p->ctx, DAL_EINVAL, "generate: the model has no variable '%s'", p->parameter[i]);
        }
    }
    dal_document_destroy(doc);
    return st;
}

/* Numbers that agree in all samples are one constant. */
static void assign_slots(dal_program *p, const double *number, const double *samples, int nsamples)
{
    const int n = p->nnumbers;
    for (int k = 0; k < n; ++k) {
        int varies = 0;
        for (int s = 0; s < nsamples; ++s) {
            varies |= samples[k + s * n] != number[k];
        }
        p->slot[k] = -1;
        for (int j = 0; j < p->nslots && varies && p->slot[k] < 0; ++j) {
            const int other = p->first[j];
            int same = number[other] == number[k];
            for (int s = 0; s < nsamples && same; ++s) {
                same = samples[other + s * n] == samples[k + s * n];
            }
            p->slot[k] = same ? j : -1;
        }
        if (varies && p->slot[k] < 0) {
            p->slot[k] = p->nslots;
            p->first[p->nslots++] = k;
        }
    }
}

static dal_status take_samples(dal_program *p, double *samples, const double *own, int nsamples)
{
    double values[GEN_PARAMETERS];
    for (int s = 0; s < nsamples; ++s) {
        gen_record r;
        sample(values, own, p->nparameters, s);
        dal_status st = gen_record_make(&r, p, values);
        if (st == DAL_OK && r.nnumbers != p->nnumbers) {
            st = dal_fail(
                p->ctx, DAL_EINVAL,
                "generate: the parameters change the structure of the model, not only its numbers (a centre of mass "
                "that is zero, say); give them other values in the model");
        }
        if (st == DAL_OK && samples) {
            memcpy(samples + (size_t)s * (size_t)p->nnumbers, r.number, (size_t)p->nnumbers * sizeof *samples);
        }
        gen_record_release(&r, p->ctx);
        DAL_TRY(st);
    }
    return DAL_OK;
}

/* Which numbers follow from the parameters. */
static dal_status find_constants(dal_program *p)
{
    const int nsamples = 1 + 2 * p->nparameters;
    double own[GEN_PARAMETERS];
    gen_record r;
    if (p->nparameters > GEN_PARAMETERS) {
        return dal_fail(p->ctx, DAL_EINVAL, "generate: %d parameters, at most %d", p->nparameters, GEN_PARAMETERS);
    }
    DAL_TRY(own_values(p, own));
    dal_status st = gen_record_make(&r, p, NULL);
    p->nnumbers = r.nnumbers;
    const size_t n = (size_t)r.nnumbers + 1;
    double *samples = dal_alloc_zero(p->ctx, n * (size_t)nsamples * sizeof *samples);
    int *slot = dal_alloc_zero(p->ctx, n * sizeof *slot), *first = dal_alloc_zero(p->ctx, n * sizeof *first);
    if (st == DAL_OK && (!samples || !slot || !first)) {
        st = dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the constants");
    }
    st = st == DAL_OK ? take_samples(p, samples, own, nsamples) : st;
    p->slot = slot;
    p->first = first;
    if (st == DAL_OK) {
        assign_slots(p, r.number, samples, nsamples);
    }
    dal_free(p->ctx, samples);
    gen_record_release(&r, p->ctx);
    return st;
}

/* ---- programs --------------------------------------------------------------------------------- */

static dal_status fill(dal_program *p, const char *source, const char *const *set, const dal_generate_options *how)
{
    p->source = copy_text(p->ctx, source);
    if (!p->source) {
        return dal_fail(p->ctx, DAL_ENOMEM, "generate: no memory for the name of the model");
    }
    DAL_TRY(copy_texts(p->ctx, &p->set, set, p->nset));
    DAL_TRY(copy_texts(p->ctx, &p->parameter, how->parameters, p->nparameters));
    if (p->nparameters > 0) {
        DAL_TRY(find_constants(p));
    }
    gen_record r;
    const dal_status st = gen_record_make(&r, p, NULL);
    p->text = r.text.s;
    p->size = r.size;
    p->nnumbers = r.nnumbers;
    p->layout = r.layout;
    r.text.s = NULL;
    gen_record_release(&r, p->ctx);
    return st;
}

dal_status dal_program_create(dal_program **program, dal_ctx *ctx, const char *source, const char *const *set, int nset,
                              const dal_generate_options *how)
{
    static const dal_generate_options plain = {0};
    how = how ? how : &plain;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, program);
    DAL_NEED(ctx, source);
    *program = NULL;
    dal_program *p = dal_alloc_zero(ctx, sizeof *p);
    if (!p) {
        return dal_fail(ctx, DAL_ENOMEM, "generate: no memory for the program");
    }
    p->ctx = ctx;
    p->nset = nset;
    p->nparameters = how->nparameters;
    p->how = (dal_generate_options){.scalar = how->scalar, .lanes = how->lanes > 0 ? how->lanes : 8};
    for (size_t i = 0; how->name && how->name[i] != '\0' && i + 1 < sizeof p->name; ++i) {
        p->name[i] = how->name[i];
    }
    const dal_status st = fill(p, source, set, how);
    if (st != DAL_OK) {
        dal_program_destroy(p);
        return st;
    }
    *program = p;
    return DAL_OK;
}

void dal_program_destroy(dal_program *p)
{
    if (p) {
        free_texts(p->ctx, p->set, p->nset);
        free_texts(p->ctx, p->parameter, p->nparameters);
        dal_free(p->ctx, p->source);
        dal_free(p->ctx, p->slot);
        dal_free(p->ctx, p->first);
        dal_free(p->ctx, p->text);
        dal_free(p->ctx, p);
    }
}

const char *dal_program_text(const dal_program *p)
{
    return p ? p->text : NULL;
}

int dal_program_size(const dal_program *p)
{
    return p ? p->size : 0;
}

dal_member_layout dal_program_layout(const dal_program *p)
{
    return p ? p->layout : (dal_member_layout){0};
}

dal_status dal_program_member(const dal_program *p, const double *values, double *x)
{
    DAL_NEED_AS(NULL, p, "program");
    DAL_NEED(p->ctx, x);
    gen_record r;
    dal_status st = gen_record_make(&r, p, p->nparameters > 0 ? values : NULL);
    if (st == DAL_OK && (r.nnumbers != p->nnumbers || r.size != p->size)) {
        st = dal_fail(p->ctx, DAL_EINVAL, "generate: these values change the structure of the model");
    }
    if (st == DAL_OK) {
        memcpy(x, r.member, (size_t)p->size * sizeof *x);
        for (int k = 0; k < p->nslots; ++k) {
            x[k] = r.number[p->first[k]];
        }
    }
    gen_record_release(&r, p->ctx);
    return st;
}

dal_status dal_generate(char **text, dal_ctx *ctx, const char *source, const char *const *set, int nset,
                        const dal_generate_options *how)
{
    dal_program *p;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, text);
    DAL_NEED(ctx, source);
    *text = NULL;
    DAL_TRY(dal_program_create(&p, ctx, source, set, nset, how));
    if (p) {
        *text = p->text;
        p->text = NULL;
    }
    dal_program_destroy(p);
    return DAL_OK;
}

void dal_generate_free(dal_ctx *ctx, char *text)
{
    dal_free(ctx, text);
}
