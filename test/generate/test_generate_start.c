/* Starts by generated code against those of the library: every built-in model that programs take and every type of element,
 * with random values of all that can vary. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "generate/program.h"
#include "support/check.h"

enum { MOST = 40, MEMBERS = 8, TEXT = 96 };

/* A program whose parameters are all numbers of a model that can be. */
typedef struct trial {
    dal_ctx *ctx;
    dal_document *doc;
    dal_binding *binding;
    dal_program *program;
    char folder[32];
    void *library;
    void (*start)(const double *p, double *x, int *failed, int n);
    char name[MOST][TEXT];
    const char *names[MOST];
    double own[MOST];
    int n;
} trial;

static void try_name(trial *t, const char *name, double own)
{
    dal_binding *b;
    if (t->n == MOST) {
        return;
    }
    snprintf(t->name[t->n], TEXT, "%s", name);
    t->names[t->n] = t->name[t->n];
    if (dal_binding_create(&b, t->ctx, t->doc, &t->names[t->n], 1) == DAL_OK) {
        dal_binding_destroy(b);
        t->own[t->n++] = own;
    }
    dal_ctx_clear(t->ctx);
}

/* Variables; or, where there are none, numbers of the bodies and the gravity. */
static void find_names(trial *t, dal_data *data)
{
    dal_model *m = dal_document_model(t->doc);
    char name[TEXT];
    for (int k = 0; k < dal_document_variable_count(t->doc); ++k) {
        const dal_variable v = dal_document_variable(t->doc, k);
        try_name(t, v.name, v.value);
    }
    double gravity[3];
    assert_int_equal(dal_data_get_gravity(data, gravity), DAL_OK);
    if (t->n == 0) {
        try_name(t, "gravity.2", gravity[2]);
    }
    for (int i = 1; dal_model_body_name(m, i) != NULL && dal_document_variable_count(t->doc) == 0; ++i) {
        dal_body b;
        const char *body = dal_model_body_name(m, i);
        assert_int_equal(dal_data_get_body(data, &b, i), DAL_OK);
        snprintf(name, sizeof name, "bodies.%.40s.mass", body);
        try_name(t, name, b.mass);
        snprintf(name, sizeof name, "bodies.%.40s.com.0", body);
        try_name(t, name, b.com[0]);
        snprintf(name, sizeof name, "bodies.%.40s.position.0", body);
        try_name(t, name, b.position[0]);
        snprintf(name, sizeof name, "bodies.%.40s.rotation.angle", body);
        try_name(t, name, 0.4);
    }
}

static void compile(trial *t, const dal_generate_options *how, const char *flags)
{
    char command[512], path[64];
    const char *text = dal_program_text(t->program);
    program_folder(t->folder);
    program_write(t->folder, "gm.c", text, strlen(text));
    snprintf(command, sizeof command,
             DAL_TEST_CC
             " -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off %s -shared "
             "-fPIC -o %s/gm.so %s/gm.c -lm",
             flags, t->folder, t->folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/gm.so", t->folder);
    t->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(t->library);
    *(void **)&t->start = dlsym(t->library, "gm_start_members");
    (void)how;
}

/* 0: the model, or its start, is not for programs; why is the reason. */
static int trial_open(trial *t, const char *model, const char *const *set, int nset, dal_generate_options how,
                      const char *flags, const char **why)
{
    const dal_system *sys;
    dal_data *data;
    *t = (trial){.ctx = check_ctx()};
    if (dal_document_open(&t->doc, t->ctx, model, set, nset) != DAL_OK) {
        fail_msg("%s: %s", model, dal_ctx_message(t->ctx));
    }
    assert_int_equal(dal_model_compile(dal_document_model(t->doc), &sys), DAL_OK);
    assert_int_equal(dal_data_create(&data, t->ctx, sys), DAL_OK);
    find_names(t, data);
    dal_data_destroy(data);
    how.name = "gm";
    how.parameters = t->names;
    how.nparameters = t->n;
    assert_int_equal(dal_binding_create(&t->binding, t->ctx, t->doc, t->names, t->n), DAL_OK);
    if (dal_program_create_bound(&t->program, t->ctx, t->doc, t->binding, t->own, &how) != DAL_OK || t->n == 0) {
        *why = dal_ctx_message(t->ctx);
        return 0;
    }
    *why = dal_program_no_start(t->program);
    if (*why != NULL) {
        return 0;
    }
    compile(t, &how, flags);
    return 1;
}

static void trial_close(trial *t)
{
    if (t->library) {
        dlclose(t->library);
        program_remove(t->folder);
    }
    dal_program_destroy(t->program);
    dal_binding_destroy(t->binding);
    dal_document_destroy(t->doc);
    dal_ctx_destroy(t->ctx);
}

static double random_unit(unsigned *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return 2.0 * (*seed >> 8) / 16777216.0 - 1.0;
}

/* The largest difference of n numbers, relative to the largest of them, or to `least`. */
static double apart(const double *x, int stride, const double *y, int n, double least)
{
    double most = 0.0, size = least;
    for (int k = 0; k < n; ++k) {
        most = fmax(most, fabs(x[(size_t)k * (size_t)stride] - y[k]));
        size = fmax(size, fabs(y[k]));
    }
    return most / size;
}

/* Accelerations and multipliers of a beam at rest are what is left of inner forces: omega^2 x of the fastest wave is 1e11 times
 * larger, and its rounding is theirs. Only positions and velocities of such models are compared here; their steps are by
 * test_generate_builtin. */
static int fields_of(const char *model)
{
    static const char *const at_rest[] = {"helical_spring", "lee_frame", "spinning_beam"};
    int rests = 0;
    for (size_t k = 0; k < LEN(at_rest); ++k) {
        rests |= strcmp(model, at_rest[k]) == 0;
    }
    return rests ? 3 : 7;
}

/* Of the members that both start; *started: how many. */
static double compare(trial *t, const char *model, double spread, int *started, int *missed)
{
    const int size = dal_program_size(t->program);
    const dal_member_layout at = dal_program_layout(t->program);
    const int first[] = {0, at.q, at.v, at.v + at.nv, at.v + 2 * at.nv, at.la, at.la + 3 * at.nc};
    const int count[] = {at.t, at.nq, at.nv, at.nv, at.nv, at.nc, size - at.la - 3 * at.nc};
    double *x = calloc((size_t)size * (MEMBERS + 1), sizeof *x), *y = x + (size_t)size * MEMBERS, p[MOST * MEMBERS];
    int failed[MEMBERS];
    unsigned seed = 7;
    double worst = 0.0;
    assert_non_null(x);
    for (int k = 0; k < t->n * MEMBERS; ++k) {
        const double own = t->own[k / MEMBERS], r = spread * random_unit(&seed);
        p[k] = own != 0.0 ? own * (1.0 + r) : r;
    }
    t->start(p, x, failed, MEMBERS);
    for (int m = 0; m < MEMBERS; ++m) {
        double values[MOST];
        for (int k = 0; k < t->n; ++k) {
            values[k] = p[k * MEMBERS + m];
        }
        const dal_status st = dal_program_member(t->program, y, values);
        if (st != DAL_OK || failed[m]) {
            *missed += st == DAL_OK;
            dal_ctx_clear(t->ctx);
            continue;
        }
        ++*started;
        for (int i = 0; i < fields_of(model); ++i) {
            // angles and their rates, differences of velocities, may be zero but for rounding
            const double least = i == 6 ? fmax(dal_max_abs(y + at.v, at.nv), 1.0) : 1e-12;
            const double e = apart(x + (size_t)first[i] * MEMBERS + m, MEMBERS, y + first[i], count[i], least);
            if (e > 1e-12) {
                print_message("%s member %d field %d: %.1e\n", model, m, i, e);
            }
            worst = fmax(worst, e);
        }
    }
    free(x);
    return worst;
}

/* Models whose start programs do not have, and a word of the reason; nothing: none of their numbers varies. */
static const struct {
    const char *model, *why;
} without[] = {{"flying_spaghetti", ""},
               {"right_angle_cantilever", ""},
               {"rotating_blade", ""},
               {"catenary", "assembly"},
               {"nonholonomic_particle", "pfaffian"},
               {"flexible_slider_crank", "step size"},
               {"rows", "pfaffian"},
               {"bouncing_ball", "contact"},
               {"newton_cradle", "contact"},
               {"woodpecker", "contact"},
               {"rocking_block", "contact"},
               {"box_stack", "contact"},
               {"clearance_slider_crank", "contact"},
               {"domino", "contact"},
               {"gripper", "contact"},
               {"tippe_top", "contact"}};

static void check_refusal(const char *name, const char *why)
{
    for (size_t k = 0; k < LEN(without); ++k) {
        if (strcmp(without[k].model, name) == 0) {
            assert_non_null(strstr(why, without[k].why));
            return;
        }
    }
    fail_msg("%s has no start: %s", name, why);
}

static void check_model(const char *name, const char *model, const char *const *set, int nset, double spread)
{
    trial t;
    const char *why;
    if (!trial_open(&t, model, set, nset, (dal_generate_options){0}, "-O0", &why)) {
        check_refusal(name, why);
    } else {
        int started = 0, missed = 0;
        const double e = compare(&t, model, spread, &started, &missed);
        print_message("%-28s %2d parameters, %d members, apart %.1e\n", name, t.n, started, e);
        assert_int_equal(missed, 0);
        assert_true(started >= 3);
        assert_near(e, 0.0, 1e-12);
    }
    trial_close(&t);
}

static void starts_agree_with_the_library_on_built_in_models(void **state)
{
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const char *model = dal_builtin_model(k).name, *few = program_few(model);
        check_model(model, model, &few, few != NULL, 0.01);
    }
}

static void check_element(const char *name, const char *formulation)
{
    char path[256], text[64];
    const char *const set[] = {text};
    snprintf(path, sizeof path, DAL_ELEMENTS "/%s.json", name);
    snprintf(text, sizeof text, "formulation=%s", formulation);
    check_model(name, path, set, 1, 0.01);
}

static void starts_agree_with_the_library_on_every_type_of_element(void **state)
{
    static const char *const models[][2] = {
        {"joints_1", "index3"},       {"joints_2", "index3"},  {"joints_3", "index3"},     {"joints_4", "index2"},
        {"rolling", "index3"},        {"drives", "index3"},    {"planar", "ggl"},          {"planar_se2", "index3"},
        {"forces", "index3"},         {"functions", "index2"}, {"laws", "index3"},         {"expressions", "index3"},
        {"rows", "index3"},           {"gears", "index3"},     {"rotation_vector", "ggl"}, {"compliant", "index3"},
        {"flexible_shapes", "index3"}};
    for (size_t k = 0; k < LEN(models); ++k) {
        check_element(models[k][0], models[k][1]);
    }
}

static void options_of_the_start_act_as_in_the_library(void **state)
{
    static const char *const options[][2] = {{"formulation=ggl", "start_difference=forward"},
                                             {"formulation=index3", "start_difference=forward"},
                                             {"starting=naive", "sigma=0"},
                                             {"starting=acceleration", "rho_inf=0.5"},
                                             {"initial=accept", "sigma=spin"}};
    for (size_t k = 0; k < LEN(options); ++k) {
        check_model("spatial_slider_crank", "spatial_slider_crank", options[k], 2, 0.2);
    }
}

/* ---- what differs between the kinds of programs ----------------------------------------------- */

static void numbers_of(trial *t, double *x, int *failed, int n)
{
    double p[MOST * MEMBERS];
    unsigned seed = 3;
    for (int k = 0; k < t->n * n; ++k) {
        p[k] = t->own[k / n] * (1.0 + 0.02 * random_unit(&seed));
    }
    t->start(p, x, failed, n);
}

/* Five members in two blocks of four lanes. */
static void lanes_start_members_with_the_same_bits(void **state)
{
    static const char *const models[] = {"heavy_top", "slider_crank", "flyball_governor"};
    enum { N = 5 };
    for (size_t k = 0; k < LEN(models); ++k) {
        trial t[2];
        const char *why;
        const dal_generate_options lanes = {.scalar = DAL_GENERATE_LANES, .lanes = 4};
        int failed[2][N];
        assert_true(trial_open(&t[0], models[k], NULL, 0, (dal_generate_options){0}, "-O1", &why));
        assert_true(trial_open(&t[1], models[k], NULL, 0, lanes, "-O1 -mavx2 -Wno-psabi", &why));
        const size_t size = (size_t)dal_program_size(t[0].program) * N;
        double *x = calloc(2 * size, sizeof *x);
        assert_non_null(x);
        numbers_of(&t[0], x, failed[0], N);
        numbers_of(&t[1], x + size, failed[1], N);
        assert_memory_equal(failed[0], failed[1], sizeof failed[0]);
        for (size_t i = 0; i < size; ++i) {
            assert_true(x[i] == x[size + i]);
        }
        free(x);
        trial_close(&t[0]);
        trial_close(&t[1]);
    }
}

/* ---- programs with a main --------------------------------------------------------------------- */

/* A program with a start of these parameters, and a main. It must compile and run under sanitizers. */
static void run_main(const char *model, const char *const *names, int n, dal_generate_options how, const char *file,
                     const char *main_text, const char *compiler)
{
    char folder[32], command[400], *text;
    dal_ctx *ctx = check_ctx();
    how.name = "gm";
    how.parameters = names;
    how.nparameters = n;
    if (dal_generate(&text, ctx, model, NULL, 0, &how) != DAL_OK) {
        fail_msg("%s", dal_ctx_message(ctx));
    }
    program_folder(folder);
    program_write(folder, file, text, strlen(text));
    program_write(folder, "main.c", main_text, strlen(main_text));
    snprintf(
        command, sizeof command,
        "cd %s && %s -O0 -Wall -Wextra -fsanitize=address,undefined -fno-sanitize-recover=all -o main main.c -lm && "
        "./main",
        folder, compiler);
    assert_int_equal(system(command), 0);
    program_remove(folder);
    dal_generate_free(ctx, text);
    dal_ctx_destroy(ctx);
}

/* The default parameters give the start that the file has; steps follow. */
static const char default_text[] =
    "#include \"gm.c\"\nint main(void)\n{\n    static gm_state s, own;\n    gm_parameters p;\n    gm_default(&p);\n"
    "    gm_init(&own);\n    if (gm_start(&s, &p) != GM_OK) {\n        return 1;\n    }\n"
    "    for (int i = 0; i < (int)(sizeof s.v / sizeof s.v[0]); ++i) {\n"
    "        if (!(fabs(s.v[i] - own.v[i]) <= 1e-11 * (1.0 + fabs(own.v[i])))) {\n            return 2;\n        }\n   "
    " }\n"
    "    for (int k = 0; k < 20; ++k) {\n        if (gm_step(&s) != GM_OK) {\n            return 3;\n        }\n    }\n"
    "    return 0;\n}\n";

static void the_start_of_the_model_itself_runs_under_sanitizers(void **state)
{
    static const char *const crank[] = {"c", "speed"}, *const laws[] = {"c1", "gain"};
    run_main("spatial_slider_crank", crank, 2, (dal_generate_options){0}, "gm.c", default_text,
             DAL_TEST_CC " -std=c17");
    run_main("free_top", (const char *const[]){"J1"}, 1, (dal_generate_options){0}, "gm.c", default_text,
             DAL_TEST_CC " -std=c17");
    run_main(DAL_ELEMENTS "/laws.json", laws, 2, (dal_generate_options){0}, "gm.c", default_text,
             DAL_TEST_CC " -std=c17");
    run_main("spatial_slider_crank", crank, 2, (dal_generate_options){.scalar = DAL_GENERATE_CUDA}, "gm.c",
             default_text, DAL_TEST_CC " -std=c17 -Wno-unused-function");
}

/* A point on two rods: they close where a + b exceeds the distance 3 of their feet. */
static const char rods[] =
    "{\"dalembert\": 1, \"name\": \"rods\", \"variables\": {\"a\": 2, \"b\": 2, \"double\": 1},\n"
    " \"gravity\": [0, 0, \"max(double - 3, 0)\"],\n"
    " \"bodies\": [{\"name\": \"p\", \"type\": \"point\", \"mass\": \"max(double, 0.5)\", \"position\": [1.5, "
    "\"sqrt(a^2 - "
    "2.25)\", 0]}],\n"
    " \"joints\": [{\"name\": \"l\", \"type\": \"distance\", \"body_b\": \"p\", \"frame_a\": [0, 0, 0], "
    "\"length\": \"a\"},\n"
    "  {\"name\": \"r\", \"type\": \"distance\", \"body_b\": \"p\", \"frame_a\": [3, 0, 0], "
    "\"length\": \"b\"}],\n"
    " \"simulation\": {\"t_end\": 1, \"h\": 0.01}}\n";

static const char rods_text[] =
    "#include \"gm.c\"\nint main(void)\n{\n    static gm_state s;\n    gm_parameters p;\n    gm_default(&p);\n"
    "    p.b = 2.2;\n    if (gm_start(&s, &p) != GM_OK || gm_step(&s) != GM_OK) {\n        return 1;\n    }\n"
    "    if (fabs(hypot(3.0 - s.q[0], s.q[1]) - 2.2) > 0.1) {\n        return 2;\n    }\n"
    "    p.b = 0.5;\n    p.a = 1.6;\n    if (gm_start(&s, &p) != GM_NO_START || gm_step(&s) == GM_OK) {\n        "
    "return "
    "3;\n    }\n"
    "    p.a = 1.0;\n    if (gm_start(&s, &p) != GM_NO_START) {\n        return 4;\n    }\n" // the root of a negative number
    // the mass on another branch; then gravity, a literal near the model
    "    gm_default(&p);\n    p.double_2 = 0.4;\n    if (gm_start(&s, &p) != GM_OK || gm_step(&s) != GM_OK) {\n        "
    "return 5;\n    }\n"
    "    p.double_2 = 4.0;\n    return gm_start(&s, &p) == GM_NO_START ? 0 : 6;\n}\n";

static void what_does_not_close_or_is_not_finite_has_a_code_of_its_own(void **state)
{
    static const char *const names[] = {"a", "b", "double"};
    char folder[32], path[64];
    program_folder(folder);
    program_write(folder, "rods.json", rods, strlen(rods));
    snprintf(path, sizeof path, "%s/rods.json", folder);
    run_main(path, names, 3, (dal_generate_options){0}, "gm.c", rods_text, DAL_TEST_CC " -std=c17");
    program_remove(folder);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest models[] = {cmocka_unit_test(starts_agree_with_the_library_on_built_in_models)};
    const struct CMUnitTest elements[] = {cmocka_unit_test(starts_agree_with_the_library_on_every_type_of_element)};
    const struct CMUnitTest programs[] = {
        cmocka_unit_test(options_of_the_start_act_as_in_the_library),
        cmocka_unit_test(lanes_start_members_with_the_same_bits),
        cmocka_unit_test(the_start_of_the_model_itself_runs_under_sanitizers),
        cmocka_unit_test(what_does_not_close_or_is_not_finite_has_a_code_of_its_own),
    };
    const int share = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    return share == 0   ? cmocka_run_group_tests(models, NULL, NULL)
           : share == 1 ? cmocka_run_group_tests(elements, NULL, NULL)
                        : cmocka_run_group_tests(programs, NULL, NULL);
}
