/* Forward mode, adjoint and differences over files of element types and built-in models. */
#include <dirent.h>

#include "compare.h"
#include "numbers.h"

/* Stiff models take smaller steps. */
static double step_of(const char *model)
{
    static const char *const small[] = {"andrews_squeezer", "high_speed_rotor", "helical_spring"},
                             *const medium[] = {"rotating_blade",
                                                "beams.json",
                                                "beams_order.json",
                                                "beam_consistent.json",
                                                "beam_consistent_order.json",
                                                "press.json"};
    for (size_t k = 0; k < sizeof small / sizeof small[0]; ++k) {
        if (strcmp(model, small[k]) == 0) {
            return 1e-5;
        }
    }
    for (size_t k = 0; k < sizeof medium / sizeof medium[0]; ++k) {
        if (strcmp(model, medium[k]) == 0) {
            return 1e-4;
        }
    }
    return strcmp(model, "spinning_beam") == 0 ? 0.05 : 1e-3; // it starts slowly
}

static void path_of(char *path, size_t size, const char *model, int element)
{
    snprintf(path, size, "%s%s", element == 1 ? DAL_ELEMENTS "/" : element == 2 ? DAL_MODELS "/" : "", model);
}

/* Words of a list, which become texts of their own. */
static int split(const char *by[MOST], char *list)
{
    int n = 0;
    for (char *at = list; *at != '\0';) {
        by[n++] = at;
        at += strcspn(at, " ");
        at += *at == ' ' ? (*at = '\0', 1) : 0;
    }
    return n;
}

static int compare_model(dal_ctx *ctx, const struct numbers *n, const char *formulation)
{
    static const char *const of[] = {"final(kinetic_energy)", "integral(kinetic_energy)"};
    char source[600], list[2000], step[64], end[64];
    const double h = step_of(n->model);
    const char *const set[] = {"integrator=genalpha", "step=fixed", step, end, formulation};
    snprintf(step, sizeof step, "h=%.17g", h);
    snprintf(end, sizeof end, "t_end=%.17g", 20.0 * h);
    const char *by[MOST];
    path_of(source, sizeof source, n->model, n->element);
    snprintf(list, sizeof list, "%s", n->by);
    const int nby = split(by, list);
    return compare(
        ctx, &(dal_gradient_spec){.source = source, .of = of, .nof = 2, .by = by, .nby = nby, .set = set, .nset = 5},
        1e-6);
}

static void gradients_of_elements_are_differences(void **state)
{
    (void)state;
    static const char *const formulation[] = {"formulation=ggl", "formulation=index3", "formulation=index2"};
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        bad += compare_model(ctx, &numbers[k], formulation[k % 3]);
    }
    check_ctx_free(ctx);
    assert_int_equal(bad, 0);
}

static int is_listed(const char *model, int element) // NOLINT(misc-no-recursion)
{
    int yes = 0;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
        yes |= numbers[k].element == element && strcmp(numbers[k].model, model) == 0;
    }
    for (size_t k = 0; k < sizeof with_contacts / sizeof with_contacts[0]; ++k) {
        yes |= with_contacts[k].element == element && strcmp(with_contacts[k].model, model) == 0;
    }
    for (size_t k = 0; k < sizeof at_rest / sizeof at_rest[0]; ++k) {
        yes |= element == 1 && strcmp(at_rest[k].model, model) == 0 && is_listed(at_rest[k].in, 2);
    }
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; ++k) {
        yes |= refused[k].element == element && strcmp(refused[k].model, model) == 0;
    }
    return yes;
}

static void every_model_is_compared_or_refused(void **state)
{
    (void)state;
    int bad = 0;
    for (int k = 0; k < dal_builtin_count(); ++k) {
        if (!is_listed(dal_builtin_model(k).name, 0)) {
            fprintf(stderr, "no gradient of the built-in model %s is compared\n", dal_builtin_model(k).name);
            ++bad;
        }
    }
    DIR *folder = opendir(DAL_ELEMENTS);
    assert_non_null(folder);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (strstr(e->d_name, ".json") && !is_listed(e->d_name, 1)) {
            fprintf(stderr, "no gradient of the element file %s is compared\n", e->d_name);
            ++bad;
        }
    }
    closedir(folder);
    assert_int_equal(bad, 0);
}

static void gradients_through_contacts_are_differences(void **state)
{
    (void)state;
    dal_ctx *ctx = check_ctx();
    int bad = 0;
    for (size_t k = 0; k < sizeof with_contacts / sizeof with_contacts[0]; ++k) {
        const struct contacts *c = &with_contacts[k];
        char source[600], list[600];
        const char *by[MOST];
        path_of(source, sizeof source, c->model, c->element);
        snprintf(list, sizeof list, "%s", c->by);
        const int nby = split(by, list);
        bad += compare_forward(
            ctx,
            &(dal_gradient_spec){
                .source = source, .of = &c->of, .nof = 1, .by = by, .nby = nby, .set = &c->set, .nset = 1},
            1e-6, c->events, c->forward_only);
    }
    check_ctx_free(ctx);
    assert_int_equal(bad, 0);
}

static void what_has_no_gradient_is_refused_by_name(void **state)
{
    (void)state;
    static const char *const of[] = {"final(kinetic_energy)"}, *const set[] = {"integrator=genalpha", "step=fixed"};
    for (size_t k = 0; k < sizeof refused / sizeof refused[0]; ++k) {
        char source[600];
        dal_ctx *ctx = check_ctx();
        dal_gradient *g;
        path_of(source, sizeof source, refused[k].model, refused[k].element);
        const dal_gradient_spec spec = {
            .source = source, .of = of, .nof = 1, .by = &refused[k].by, .nby = 1, .set = set, .nset = 2};
        dal_status st = dal_gradient_create(&g, ctx, &spec);
        st = st == DAL_OK ? dal_gradient_run(g, NULL, DAL_GRADIENT_FORWARD) : st;
        assert_true(st < 0);
        assert_non_null(strstr(dal_ctx_message(ctx), refused[k].says));
        dal_gradient_destroy(g);
        check_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_model_is_compared_or_refused),
                                       cmocka_unit_test(what_has_no_gradient_is_refused_by_name),
                                       cmocka_unit_test(gradients_through_contacts_are_differences),
                                       cmocka_unit_test(gradients_of_elements_are_differences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
