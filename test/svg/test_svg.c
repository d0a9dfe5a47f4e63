/* Pictures: what stands in them, read as text. */
#define _POSIX_C_SOURCE 200809L

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "svg/svg.h"
#include "svg/svg_impl.h"

static char *printed(const svg_picture *p)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    svg_print(file, p);
    const long n = ftell(file);
    assert_true(n > 0);
    char *text = malloc((size_t)n + 1);
    assert_non_null(text);
    rewind(file);
    assert_int_equal(fread(text, 1, (size_t)n, file), n);
    text[n] = '\0';
    fclose(file);
    return text;
}

static svg_picture one_panel(const svg_panel *panel)
{
    return (svg_picture){.title = "title", .panel = panel, .npanels = 1, .columns = 1, .width = 600.0, .height = 200.0};
}

static void text_of_a_model_stays_text(void **state)
{
    static const double x[] = {0.0, 1.0};
    const svg_curve c = {.name = "`id` $(id) <script>\"'&", .x = x, .y = x, .n = 2};
    const svg_panel panel = {
        .x = {"t", "s"}, .y = {"a\x1b[31m\xff\xc3(b\xed\xa0\x80", "<b>"}, .curve = &c, .ncurves = 1};
    svg_picture p = one_panel(&panel);
    p.title = "</title><script>alert(1)</script>";
    char *text = printed(&p);
    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "</title><"));
    assert_null(strchr(text, '\x1b'));
    assert_null(strchr(text, '\xff'));
    assert_null(strstr(text, "\xed\xa0\x80"));
    assert_non_null(strstr(text, "`id` $(id) &#60;script&#62;&#34;&#39;&#38;"));
    free(text);
}

static void numbers_of_ticks_differ(void **state)
{
    static const struct {
        double lo, hi;
    } range[] = {{0.0, 1.0},           {-3.7, 12.0},     {1.0, 1.0000003},   {5435.6, 5435.7},
                 {-29.4311, -29.4300}, {1e-9, 3e-9},     {1e12, 1e12 + 1.0}, {-1e300, 1e300},
                 {1e-300, 2e-300},     {845.15, 845.26}, {0.0, 0.0},         {7.0, 7.0},
                 {1.0, 1.0 + 1e-15},   {-2e7, 3e7},      {1e5, 1.00001e5},   {123456.0, 123457.0}};
    for (size_t k = 0; k < sizeof range / sizeof range[0]; ++k) {
        axis s;
        axis_linear(&s, range[k].lo, range[k].hi, 0, 0.05, 180.0, 34.0);
        assert_true(s.n >= 2 && s.n <= 10);
        for (int i = 1; i < s.n; ++i) {
            assert_string_not_equal(s.tick[i].text, s.tick[i - 1].text);
            assert_true(strlen(s.tick[i].text) <= 10);
            assert_true(s.tick[i].at >= s.lo - 1e-9 * (s.hi - s.lo) && s.tick[i].at <= s.hi + 1e-9 * (s.hi - s.lo));
        }
    }
}

/* What is written beside a tick, with offset and factor, is where the tick is. */
static void offset_and_factor_give_the_value_back(void **state)
{
    static const double range[][2] = {{1.0, 1.0000003}, {5435.6, 5435.7}, {-29.4311, -29.43},
                                      {1e-9, 3e-9},     {2e6, 9e6},       {0.42236, 0.42237}};
    for (size_t k = 0; k < sizeof range / sizeof range[0]; ++k) {
        axis s;
        axis_linear(&s, range[k][0], range[k][1], 0, 0.05, 180.0, 34.0);
        const int negative = (unsigned char)s.offset[0] == 0xe2;
        const double offset = s.offset[0] == '\0' ? 0.0
                              : negative          ? -strtod(s.offset + 3, NULL)
                                                  : strtod(s.offset, NULL);
        for (int i = 0; i < s.n; ++i) {
            const int minus = (unsigned char)s.tick[i].text[0] == 0xe2;
            const double shown = (minus ? -1.0 : 1.0) * strtod(s.tick[i].text + (minus ? 3 : 0), NULL);
            assert_true(fabs(offset + shown * pow(10.0, s.factor) - s.tick[i].at) <
                        1e-6 * (s.hi - s.lo) + 4e-16 * fabs(s.hi));
        }
    }
}

static void logarithmic_axes_have_ticks(void **state)
{
    static const double range[][2] = {{1e-12, 1e3}, {1e-4, 8e-3},    {2.0, 3.0},
                                      {5e-3, 5e-3}, {1e-300, 1e300}, {0.99, 1.01}};
    for (size_t k = 0; k < sizeof range / sizeof range[0]; ++k) {
        axis s;
        axis_log(&s, range[k][0], range[k][1], 0, 300.0, 30.0);
        assert_true(s.n >= 2 && s.n <= 20);
        for (int i = 1; i < s.n; ++i) {
            assert_true(s.tick[i].at > s.tick[i - 1].at);
        }
    }
}

/* Coordinates of all corner and control points of the first curve. */
static int path_points(double *y, int room, const char *text)
{
    const char *s = strstr(text, "stroke-linejoin");
    int n = 0, odd = 0;
    s = strstr(s, "d=\"") + 3;
    while (*s != '"' && n < room) {
        char *end;
        if (*s == 'M' || *s == 'L' || *s == 'C' || *s == ' ') {
            ++s;
            continue;
        }
        const double value = strtod(s, &end);
        if (odd) {
            y[n++] = value;
        }
        odd = !odd;
        s = end;
    }
    return n;
}

static void smooth_curves_do_not_swing_at_jumps(void **state)
{
    static const double x[] = {0, 1, 2, 3, 4, 5, 6, 7}, y[] = {0, 0, 0, 0, 1, 1, 1, 1};
    const svg_curve c = {.x = x, .y = y, .n = 8, .smooth = 1};
    const svg_panel panel = {.x = {"t", "s"}, .curve = &c, .ncurves = 1};
    const svg_picture p = one_panel(&panel);
    char *text = printed(&p);
    assert_non_null(strstr(text, "C"));
    double at[200] = {0.0};
    const int n = path_points(at, 200, text);
    assert_true(n > 8);
    double lo = at[0], hi = at[0];
    for (int i = 0; i < n; ++i) {
        lo = fmin(lo, at[i]);
        hi = fmax(hi, at[i]);
    }
    assert_true(fabs(at[0] - hi) < 0.1);     // 0 is the lowest
    assert_true(fabs(at[n - 1] - lo) < 0.1); // 1 the highest
    free(text);
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, word)) != NULL; ++s) {
        ++n;
    }
    return n;
}

static void gaps_interrupt_curves(void **state)
{
    static const double x[] = {0, 1, 2, 3, 4};
    const double y[] = {0, 1, NAN, 1, 0};
    const svg_curve c = {.x = x, .y = y, .n = 5};
    const svg_panel panel = {.x = {"t", "s"}, .curve = &c, .ncurves = 1};
    const svg_picture p = one_panel(&panel);
    char *text = printed(&p), *path = strstr(text, "stroke-linejoin");
    path = strstr(path, "d=\"");
    *strstr(path, "/>") = '\0';
    assert_int_equal(count(path, "M"), 2);
    free(text);
}

static void a_panel_without_points_says_so(void **state)
{
    static const double x[] = {1e-3, 1e-2}, y[] = {0.0, 0.0};
    const svg_curve c = {.name = "m", .x = x, .y = y, .n = 2, .marks = 1, .order = 2};
    const svg_panel panel = {
        .x = {"h", "s"}, .log_x = 1, .log_y = 1, .curve = &c, .ncurves = 1, .empty = "no error at all"};
    const svg_picture p = one_panel(&panel);
    char *text = printed(&p);
    assert_non_null(strstr(text, "no error at all"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
}

static void triangles_show_the_order_given(void **state)
{
    double h[5], y[5];
    for (int i = 0; i < 5; ++i) {
        h[i] = 1e-2 / (1 << i);
        y[i] = h[i] * h[i];
    }
    const svg_curve c = {.name = "m", .x = h, .y = y, .n = 5, .marks = 1, .order = 2};
    const svg_panel panel = {.x = {"h", "s"}, .log_x = 1, .log_y = 1, .curve = &c, .ncurves = 1};
    const svg_picture p = one_panel(&panel);
    char *text = printed(&p);
    assert_int_equal(count(text, "fill=\"#eeeeee\""), 1);
    assert_non_null(strstr(text, ">2</text>"));
    free(text);
}

static double strange(check_rng *rng)
{
    static const double special[] = {0.0,    -1.0,   1e308,    -1e308,    DBL_MAX, -DBL_MAX, DBL_MIN,
                                     5e-324, 1e-300, INFINITY, -INFINITY, NAN,     1.0,      1.0 + DBL_EPSILON};
    const size_t count = LEN(special), k = (size_t)check_uniform(rng, 0.0, 2.0 * (double)count);
    return k < LEN(special) ? special[k] : ldexp(check_uniform(rng, -1.0, 1.0), (int)check_uniform(rng, -100.0, 100.0));
}

static void no_number_is_too_strange(void **state)
{
    enum { N = 12 };
    check_rng rng = check_rng_seed(5);
    for (int k = 0; k < 400; ++k) {
        double x[2][N], y[2][N];
        svg_curve c[2];
        for (int j = 0; j < 2; ++j) {
            for (int i = 0; i < N; ++i) {
                x[j][i] = k % 3 == 0 ? i : strange(&rng);
                y[j][i] = strange(&rng);
            }
            c[j] = (svg_curve){.name = "c", .x = x[j], .y = y[j], .n = N, .smooth = k % 2, .marks = 1, .order = 2};
        }
        svg_panel panel = {.x = {"t", "s"}, .curve = c, .ncurves = 2, .log_x = k / 2 % 2, .log_y = k / 4 % 2};
        panel.range_y = k % 7 == 0 ? (svg_range){DBL_MIN, 1e308} : (svg_range){0.0, 0.0};
        const svg_picture p = one_panel(&panel);
        char *text = printed(&p);
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf"));
        free(text);
    }
}

static void files_are_whole_or_not_there(void **state)
{
    char message[600], folder[] = "/tmp/dalembert-svg.XXXXXX", path[128];
    const svg_panel panel = {.x = {"t", "s"}};
    const svg_picture p = one_panel(&panel);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.svg", folder);
    assert_int_equal(svg_writable(message, sizeof message, path), 0);
    assert_int_equal(svg_save(&p, message, sizeof message, path), 0);
    assert_int_equal(svg_save(&p, message, sizeof message, path), 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(svg_save(&p, message, sizeof message, folder), -1);
    assert_non_null(strstr(message, "directory"));
    assert_int_equal(remove(folder), 0); // nothing was left in it
    assert_int_equal(svg_save(&p, message, sizeof message, path), -1);
    assert_int_equal(svg_writable(message, sizeof message, path), -1);
    assert_non_null(strstr(message, "No such file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_a_model_stays_text),
        cmocka_unit_test(numbers_of_ticks_differ),
        cmocka_unit_test(offset_and_factor_give_the_value_back),
        cmocka_unit_test(logarithmic_axes_have_ticks),
        cmocka_unit_test(smooth_curves_do_not_swing_at_jumps),
        cmocka_unit_test(gaps_interrupt_curves),
        cmocka_unit_test(a_panel_without_points_says_so),
        cmocka_unit_test(triangles_show_the_order_given),
        cmocka_unit_test(no_number_is_too_strange),
        cmocka_unit_test(files_are_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
