#define _GNU_SOURCE
#include "generate/program.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"

static const char access_text[] =
    "\n#include <stdlib.h>\n"
    "void *test_new(void);\nint test_step(void *s);\nconst double *test_q(const void *s);\n"
    "const double *test_v(const void *s);\ndouble test_energy(const void *s);\n"
    "void test_outputs(const void *s, double *y);\n"
    "void *test_new(void)\n{\n    gm_state *s = aligned_alloc(64, (sizeof *s + 63) / 64 * 64);\n    gm_init(s);\n    "
    "return s;\n}\n"
    "int test_step(void *s)\n{\n    return gm_step(s);\n}\n"
    "const double *test_q(const void *s)\n{\n    return (const double *)((const gm_state *)s)->q;\n}\n"
    "const double *test_v(const void *s)\n{\n    return (const double *)((const gm_state *)s)->v;\n}\n"
    "double test_energy(const void *s)\n{\n    const real E = gm_energy(s);\n    double y;\n    memcpy(&y, &E, sizeof "
    "y);\n    return y;\n}\n"
    "void test_outputs(const void *s, double *y)\n{\n    real x[256];\n    gm_outputs(s, x);\n    memcpy(y, x, sizeof "
    "x);\n}\n";

static void write_program(const program *p, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/gm.c", p->folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fputs(access_text, file);
    assert_int_equal(fclose(file), 0);
}

static void *symbol(const program *p, const char *name)
{
    void *s = dlsym(p->library, name);
    assert_non_null(s);
    return s;
}

void program_open(program *p, const char *model, const char *const *set, int nset, const dal_generate_options *how,
                  const char *flags)
{
    dal_generate_options named = how ? *how : (dal_generate_options){0};
    char command[512], path[128], *text;
    dal_ctx *ctx;
    *p = (program){0};
    named.name = "gm";
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    if (dal_generate(&text, ctx, model, set, nset, &named) != DAL_OK) {
        fail_msg("%s: %s", model, dal_ctx_message(ctx));
    }
    snprintf(p->folder, sizeof p->folder, "/tmp/dalembert-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    write_program(p, text);
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
    snprintf(command, sizeof command,
             DAL_TEST_CC
             " -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off %s -shared -fPIC -o "
             "%s/gm.so %s/gm.c -lm",
             flags, p->folder, p->folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/gm.so", p->folder);
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(p->library);
    void *(*make)(void);
    *(void **)&make = symbol(p, "test_new");
    *(void **)&p->step = symbol(p, "test_step");
    *(void **)&p->q = symbol(p, "test_q");
    *(void **)&p->v = symbol(p, "test_v");
    *(void **)&p->energy = symbol(p, "test_energy");
    *(void **)&p->outputs = symbol(p, "test_outputs");
    p->state = make();
}

void program_close(program *p)
{
    char command[160];
    free(p->state);
    dlclose(p->library);
    snprintf(command, sizeof command, "rm -r %s", p->folder);
    assert_int_equal(system(command), 0);
}

static double largest(const double *a, const double *b, int n)
{
    double difference = 0.0, size = 1e-300;
    for (int i = 0; i < n; ++i) {
        difference = fmax(difference, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return difference / size;
}

double program_against_library(const char *model, const char *const *set, int nset, int n, const char *flags)
{
    dal_ctx *ctx;
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
    program p;
    double E, worst;
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    assert_int_equal(dal_document_open(&doc, ctx, model, set, nset), DAL_OK);
    dal_model *m = dal_document_model(doc);
    assert_int_equal(dal_model_compile(m, &sys), DAL_OK);
    assert_int_equal(dal_document_assemble(doc, NULL, sys), DAL_OK);
    assert_int_equal(dal_sim_create(&sim, ctx, sys, dal_document_options(doc)), DAL_OK);
    assert_int_equal(dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)), DAL_OK);
    program_open(&p, model, set, nset, NULL, flags);
    for (int k = 0; k < n; ++k) {
        assert_int_equal(dal_sim_step(sim), DAL_OK);
        assert_int_equal(p.step(p.state), 0);
    }
    const dal_state s = dal_sim_state(sim);
    // velocities carry the rounding of positions divided by h
    worst = fmax(largest(p.q(p.state), s.q, sys->group->nq), 0.1 * largest(p.v(p.state), s.v, sys->group->nv));
    if (dal_sim_energy(sim, &E) == DAL_OK) {
        worst = fmax(worst, 0.1 * fabs(p.energy(p.state) - E) / fmax(1.0, fabs(E)));
    }
    program_close(&p);
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
    dal_ctx_destroy(ctx);
    return worst;
}

const char *program_refusal(const char *model, const char *const *set, int nset)
{
    static char message[512];
    char *text;
    dal_ctx *ctx;
    message[0] = '\0';
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    if (dal_generate(&text, ctx, model, set, nset, NULL) == DAL_OK) {
        dal_generate_free(ctx, text);
    } else {
        snprintf(message, sizeof message, "%s", dal_ctx_message(ctx));
    }
    dal_ctx_destroy(ctx);
    return message;
}

const char *program_few(const char *model)
{
    static const char *const few[][2] = {{"catenary", "N=8"},
                                         {"hanging_chain", "N=8"},
                                         {"helical_spring", "n=1"},
                                         {"flying_spaghetti", "elements=2"},
                                         {"lee_frame", "elements=1"}};
    for (size_t k = 0; k < LEN(few); ++k) {
        if (strcmp(model, few[k][0]) == 0) {
            return few[k][1];
        }
    }
    return NULL;
}

void program_folder(char folder[32])
{
    snprintf(folder, 32, "/tmp/dalembert-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

void program_remove(const char *folder)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

void program_write(const char *folder, const char *name, const char *text, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

void program_write_model(const char *folder, const char *file, const char *model, const char *const *set, int nset,
                         const char *name)
{
    char *text;
    dal_ctx *ctx = check_ctx();
    assert_int_equal(dal_generate(&text, ctx, model, set, nset, &(dal_generate_options){.name = name}), DAL_OK);
    program_write(folder, file, text, strlen(text));
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
}

static const char run_text[] =
    "#include \"gm.c\"\nint main(void)\n{\n    static gm_state s;\n    double y[512];\n    gm_init(&s);\n"
    "    for (int k = 0; k < 20; ++k) {\n        if (gm_step(&s) != GM_OK) {\n            return 1;\n        }\n"
    "    }\n    gm_outputs(&s, y);\n    return !(gm_energy(&s) < 1e300);\n}\n";

void program_check(const char *folder, const char *model, const char *const *set, int nset)
{
    static const char *const compilers[] = {"gcc", "clang"};
    char command[512];
    program_write_model(folder, "gm.c", model, set, nset, "gm");
    for (size_t k = 0; k < LEN(compilers); ++k) {
        snprintf(command, sizeof command,
                 "! command -v %s > /dev/null || %s -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror "
                 "-fsyntax-only %s/gm.c",
                 compilers[k], compilers[k], folder);
        assert_int_equal(system(command), 0);
    }
    program_write(folder, "main.c", run_text, strlen(run_text));
    // clang first, where its run-time library is there: gcc takes four times as long for the long functions
    snprintf(
        command, sizeof command,
        "cd %s && flags='-std=c17 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all -o main main.c -lm' && "
        "{ clang $flags 2>/dev/null || " DAL_TEST_CC " $flags; } && ./main",
        folder);
    assert_int_equal(system(command), 0);
}
