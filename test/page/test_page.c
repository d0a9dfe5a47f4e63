/* Pages: their data is JSON that no name can break out of, the motion in it is the one that was given, and it stays small. */
#define _DEFAULT_SOURCE

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dalembert/page.h"
#include "support/check.h"

#define HOSTILE "</script><script>alert('`$(x)`')</script>"

/* ---- a model and a page ----------------------------------------------------------------------- */

static dal_model *pendulum(dal_ctx *ctx, const char *name, const dal_system **sys)
{
    dal_model *m;
    int body;
    check_ok(ctx, dal_model_create(&m, ctx));
    const dal_body rod = {.name = name, .mass = 2.0, .inertia = {0.1, 0.2, 0.3}, .position = {0.0, 0.0, -1.0}};
    check_ok(ctx, dal_model_add_body(m, &body, &rod));
    const dal_joint pin = {
        .name = "pin", .type = "spherical", .body_b = body, .frame_b = {.position = {0.0, 0.0, 1.0}}};
    const dal_force push = {.name = "push", .type = "force", .body_b = body, .vector = {3.0, 0.0, 0.0}};
    int number;
    check_ok(ctx, dal_model_add_joint(m, &number, &pin));
    check_ok(ctx, dal_model_add_force(m, &number, &push));
    check_ok(ctx, dal_model_compile(m, sys));
    return m;
}

static char *read_all(const char *path, size_t *n)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    *n = (size_t)ftell(in);
    rewind(in);
    char *text = calloc(*n + 1, 1);
    assert_int_equal(fread(text, 1, *n, in), *n);
    fclose(in);
    return text;
}

/* Write the page, check its form, return its data. */
static json_t *data_of(dal_ctx *ctx, dal_page *page, size_t *size)
{
    static const char opening[] = "<script type=\"application/json\" id=\"data\">", closing[] = "</script>";
    char path[] = "/tmp/dalembert_page_XXXXXX.html";
    const int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
    check_ok(ctx, dal_page_write(page, path));
    char *text = read_all(path, size);
    unlink(path);
    char *from = strstr(text, opening);
    assert_non_null(from);
    from += strlen(opening);
    char *to = strstr(from, closing);
    assert_non_null(to);
    // whatever the data holds, there are two scripts
    int scripts = 0;
    for (const char *p = text; (p = strstr(p, "<script")) != NULL; ++p) {
        ++scripts;
    }
    assert_int_equal(scripts, 2);
    json_error_t error;
    json_t *json = json_loadb(from, (size_t)(to - from), 0, &error);
    if (json == NULL) {
        fail_msg("the data, column %d: %s", error.column, error.text);
    }
    free(text);
    return json;
}

/* Numbers behind base64; n bytes of them. */
static void *decode(const json_t *text, size_t *n)
{
    const char *s = json_string_value(text);
    assert_non_null(s);
    unsigned char *out = calloc(strlen(s) + 4, 1);
    unsigned word = 0;
    int bits = 0;
    *n = 0;
    for (; *s && *s != '='; ++s) {
        const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                   *at = strchr(digits, *s);
        assert_non_null(at);
        word = word << 6 | (unsigned)(at - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[(*n)++] = (unsigned char)(word >> bits & 255);
        }
    }
    return out;
}

/* ---- tests ------------------------------------------------------------------------------------ */

static void names_stay_text(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, HOSTILE, &sys);
    const dal_page_spec spec = {
        .name = HOSTILE, .title = "<!--", .source = "{\"a\": \"\x01\xff" HOSTILE "\"}", .model = m};
    dal_page *page;
    size_t size;
    check_ok(ctx, dal_page_create(&page, ctx, &spec));
    check_ok(ctx, dal_page_text(page, DAL_PAGE_WARNINGS, "", HOSTILE, 0));
    json_t *json = data_of(ctx, page, &size);
    assert_string_equal(json_string_value(json_object_get(json, "name")), HOSTILE);
    json_t *body = json_array_get(json_object_get(json_object_get(json, "scene"), "bodies"), 0);
    assert_string_equal(json_string_value(json_object_get(body, "name")), HOSTILE);
    assert_string_equal(json_string_value(json_array_get(json_object_get(json, "warnings"), 0)), HOSTILE);
    assert_non_null(strstr(json_string_value(json_object_get(json, "source")), "\xef\xbf\xbd")); // U+FFFD for \xff
    json_decref(json);
    dal_page_destroy(page);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* The data of every page, a skeleton, and nothing that a name could break out of. */
static void a_gallery_has_all_pages(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, HOSTILE, &sys);
    const dal_page_spec spec = {.name = HOSTILE, .title = "<!--", .model = m};
    static char text[1 << 20];
    dal_gallery *gallery;
    dal_page *page;
    check_fails(ctx, dal_gallery_create(NULL, ctx), DAL_EINVAL, "gallery is NULL");
    check_ok(ctx, dal_gallery_create(&gallery, ctx));
    check_fails(ctx, dal_gallery_write(gallery, "gallery.html"), DAL_EINVAL, "the gallery is empty");
    for (int k = 0; k < 3; ++k) {
        check_ok(ctx, dal_page_create(&page, ctx, &spec));
        check_ok(ctx, dal_gallery_add(gallery, page));
        dal_page_destroy(page);
    }
    check_fails(ctx, dal_gallery_write(gallery, "/nonexistent/a.html"), DAL_EIO, "/nonexistent/a.html");
    check_ok(ctx, dal_gallery_write(gallery, "gallery.html"));
    FILE *file = fopen("gallery.html", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    remove("gallery.html");
    int scripts = 0;
    for (const char *at = text; (at = strstr(at, "<script")) != NULL; ++at) {
        ++scripts;
    }
    assert_int_equal(scripts, 3 + 2); // pages, skeleton, script
    assert_null(strstr(text, HOSTILE));
    assert_non_null(strstr(text, "@data@")); // of the skeleton, for the script
    dal_gallery_destroy(gallery);
    dal_gallery_destroy(NULL);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* The pendulum turned by s about y at time s: what comes back is what went in, to the digits of its coding. */
static void the_motion_is_the_one_given(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, "rod", &sys);
    const dal_page_spec spec = {.name = "p", .model = m};
    dal_page *page;
    size_t size, n;
    check_ok(ctx, dal_page_create(&page, ctx, &spec));
    const double v[6] = {0.0}, la[3] = {1.0, 2.0, 3.0};
    for (int i = 0; i <= 50; ++i) {
        const double s = 0.02 * i;
        const double q[7] = {-sin(s), 0.0, -cos(s), cos(0.5 * s), 0.0, sin(0.5 * s), 0.0};
        check_ok(ctx, dal_page_frame(page, &(dal_point){s, q, v, v, la}));
    }
    json_t *json = data_of(ctx, page, &size), *motion = json_object_get(json, "motion");
    double *t = decode(json_object_get(motion, "t"), &n);
    assert_int_equal(n, 51 * sizeof(double));
    float *x = decode(json_object_get(motion, "x"), &n);
    int16_t *r = decode(json_object_get(motion, "r"), &n);
    int16_t *w = decode(json_object_get(motion, "wrench"), &n);
    for (int i = 0; i <= 50; ++i) {
        assert_near(t[i], 0.02 * i, 1e-15);
        assert_near((double)x[3 * i], -sin(t[i]), 1e-7);
        assert_near((double)x[3 * i + 2], -cos(t[i]), 1e-7);
        assert_near(r[4 * i] / 32767.0, cos(0.5 * t[i]), 4e-5);
        assert_near(r[4 * i + 2] / 32767.0, sin(0.5 * t[i]), 4e-5);
        // lambda of the joint with the sign of a force on B, then the load
        const double unit = json_number_value(json_array_get(json_object_get(motion, "wrenchUnit"), 0));
        assert_near(w[12 * i] / 32767.0 * unit, -1.0, 1e-4);
        const double load = json_number_value(json_array_get(json_object_get(motion, "wrenchUnit"), 2));
        assert_near(w[12 * i + 6] / 32767.0 * load, 3.0, 1e-4);
    }
    free(t);
    free(x);
    free(r);
    free(w);
    json_decref(json);
    dal_page_destroy(page);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* A million steps: a page of less than a megabyte that still shows a spike of one step. */
static void long_runs_make_small_pages(void **state)
{
    enum { STEPS = 200000 };
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, "rod", &sys);
    const dal_page_spec spec = {.name = "p", .model = m};
    const dal_page_curve curve[2] = {{"a", "m", "a", 0}, {"b", "1", "b", 0}};
    dal_page *page;
    size_t size, n;
    check_ok(ctx, dal_page_create(&page, ctx, &spec));
    check_ok(ctx, dal_page_curves(page, curve, 2));
    const double v[6] = {0.0}, la[3] = {0.0};
    for (int i = 0; i <= STEPS; ++i) {
        const double s = 1e-3 * i, q[7] = {-sin(s), 0.0, -cos(s), cos(0.5 * s), 0.0, sin(0.5 * s), 0.0};
        const double row[2] = {i == 123457 ? 7.0 : sin(s), 1e6 + 1e-4 * cos(s)};
        check_ok(ctx, dal_page_frame(page, &(dal_point){s, q, v, v, la}));
        check_ok(ctx, dal_page_row(page, s, row));
    }
    json_t *json = data_of(ctx, page, &size), *plots = json_object_get(json, "plots");
    assert_true(size < 1000000);
    float *a = decode(json_object_get(json_array_get(json_object_get(plots, "series"), 0), "y"), &n);
    double *t = decode(json_object_get(plots, "t"), &n);
    const int rows = (int)(n / sizeof(double));
    double top = 0.0, at = 0.0;
    for (int i = 0; i < rows; ++i) {
        assert_true(i == 0 || t[i] > t[i - 1]);
        if ((double)a[i] > top) {
            top = (double)a[i];
            at = t[i];
        }
    }
    assert_near(top, 7.0, 0.0);
    assert_near(at, 123.457, 0.3);
    assert_true(rows > 1000 && rows <= 4096);
    // the mean goes apart, so that small changes keep their digits
    json_t *b = json_array_get(json_object_get(plots, "series"), 1);
    assert_near(json_number_value(json_object_get(b, "offset")), 1e6, 1e-3);
    free(a);
    free(t);
    json_decref(json);
    dal_page_destroy(page);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void mistakes_are_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, "rod", &sys);
    const dal_page_spec spec = {.name = "p", .model = m};
    const double origin[3] = {0.0};
    dal_page *page;
    check_fails(ctx, dal_page_create(NULL, ctx, &spec), DAL_EINVAL, "page is NULL");
    check_ok(ctx, dal_page_create(&page, ctx, &spec));
    check_fails(ctx, dal_page_joint(page, 1, 0.1, 0), DAL_EINVAL, "no joint 1");
    check_fails(ctx, dal_page_trail(page, 2, origin), DAL_EINVAL, "no body 2");
    check_fails(ctx, dal_page_write(page, "/nonexistent/folder/a.html"), DAL_EIO, "/nonexistent/folder/a.html");
    check_fails(ctx, dal_page_write(page, "/tmp"), DAL_EIO, "/tmp");
    check_fails(ctx, dal_page_frame(page, NULL), DAL_EINVAL, "at is NULL");
    dal_page_destroy(page);
    dal_page_destroy(NULL);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

/* What happened is marked on the time axis; hostile names stay text. */
static void events_are_marked_on_the_time_axis(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, "rod", &sys);
    dal_page *page;
    size_t size;
    check_ok(ctx, dal_page_create(&page, ctx, &(dal_page_spec){.name = "impacts", .model = m}));
    check_ok(ctx, dal_page_event(page, 0.25, "floor, impact"));
    check_ok(ctx, dal_page_event(page, 0.5, HOSTILE));
    check_fails(ctx, dal_page_event(page, INFINITY, "late"), DAL_EINVAL, "no time");
    json_t *data = data_of(ctx, page, &size);
    const json_t *events = json_object_get(data, "events"), *second = json_array_get(events, 1);
    assert_int_equal(json_array_size(events), 2);
    assert_string_equal(json_string_value(json_object_get(second, "text")), HOSTILE);
    assert_near(json_number_value(json_object_get(second, "t")), 0.5, 0.0);
    json_decref(data);
    dal_page_destroy(page);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void chapters_are_stretches_of_the_motion_by_name(void **state)
{
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m = pendulum(ctx, "rod", &sys);
    dal_page *page;
    size_t size;
    check_ok(ctx, dal_page_create(&page, ctx, &(dal_page_spec){.name = "modes", .model = m}));
    check_ok(ctx, dal_page_chapter(page, "mode 1", 0.0, 2.0));
    check_ok(ctx, dal_page_chapter(page, HOSTILE, 2.5, 4.5));
    check_fails(ctx, dal_page_chapter(page, "back", 2.0, 1.0), DAL_EINVAL, "not a span of time");
    json_t *data = data_of(ctx, page, &size);
    const json_t *chapters = json_object_get(data, "chapters"), *second = json_array_get(chapters, 1);
    assert_int_equal(json_array_size(chapters), 2);
    assert_string_equal(json_string_value(json_object_get(second, "name")), HOSTILE);
    assert_near(json_number_value(json_object_get(second, "from")), 2.5, 0.0);
    assert_near(json_number_value(json_object_get(second, "to")), 4.5, 0.0);
    json_decref(data);
    dal_page_destroy(page);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

static void charts_have_traces_of_all_styles(void **state)
{
    dal_ctx *ctx;
    dal_page *page;
    size_t size;
    const dal_page_spec spec = {.name = "charts"};
    const double x[3] = {1.0, 2.0, 3.0}, y[3] = {4.0, NAN, 6.0};
    const char *const label[3] = {"one", HOSTILE, "three"};
    const dal_page_trace line = {.name = "a", .unit = "Hz", .n = 3, .x = x, .y = y, .hidden = 1};
    const dal_page_trace marks = {.name = "b", .style = DAL_PAGE_MARKS, .n = 3, .x = x, .y = y, .label = label};
    assert_int_equal(dal_ctx_create(&ctx, NULL), DAL_OK);
    check_ok(ctx, dal_page_create(&page, ctx, &spec));
    assert_int_equal(dal_page_add_trace(page, &line), DAL_EINVAL);
    assert_non_null(strstr(dal_ctx_message(ctx), "begin a chart"));
    check_ok(ctx, dal_page_add_chart(page, &(dal_page_chart){.title = "first", .x = "speed", .log_x = 1}));
    check_ok(ctx, dal_page_add_trace(page, &line));
    check_ok(ctx, dal_page_add_trace(page, &marks));
    check_ok(ctx, dal_page_add_chart(page, &(dal_page_chart){.title = "second", .x = "speed"}));
    json_t *data = data_of(ctx, page, &size);
    const json_t *charts = json_object_get(data, "charts"), *first = json_array_get(charts, 0);
    const json_t *traces = json_object_get(first, "traces"), *b = json_array_get(traces, 1);
    assert_int_equal(json_array_size(charts), 2);
    assert_true(json_is_true(json_object_get(first, "logX")));
    assert_int_equal(json_array_size(traces), 2);
    assert_true(json_is_true(json_object_get(json_array_get(traces, 0), "hidden")));
    assert_true(json_is_null(json_array_get(json_object_get(b, "y"), 1)));
    assert_string_equal(json_string_value(json_object_get(b, "style")), "marks");
    assert_string_equal(json_string_value(json_array_get(json_object_get(b, "labels"), 1)), HOSTILE);
    json_decref(data);
    dal_page_destroy(page);
    dal_ctx_destroy(ctx);
}

/* How joints and forces are drawn: by what they act along. */
static void forces_and_lengths_are_drawn_as_what_they_are(void **state)
{
    static const struct {
        const char *name, *type;
        dal_coordinate along;
        const char *draw;
    } force[] = {{"coil", "spring", DAL_COORDINATE_LENGTH, "coil"},
                 {"cylinder", "actuator", DAL_COORDINATE_LENGTH, "line"},
                 {"slide", "actuator", DAL_COORDINATE_TRANSLATION, "line"},
                 {"motor", "actuator", DAL_COORDINATE_ROTATION, "turn"},
                 {"push", "force", DAL_COORDINATE_DEFAULT, ""}};
    dal_ctx *ctx = check_ctx();
    const dal_system *sys;
    dal_model *m;
    dal_page *page;
    int body, number;
    size_t size;
    const double one[1] = {1.0};
    check_ok(ctx, dal_model_create(&m, ctx));
    const dal_body block = {.name = "block", .mass = 2.0, .inertia = {0.1, 0.2, 0.3}, .position = {1.0, 0.0, 0.0}};
    check_ok(ctx, dal_model_add_body(m, &body, &block));
    const dal_function constant = {.name = "one", .type = "constant", .c = one, .n = 1};
    check_ok(ctx, dal_model_add_function(m, &number, &constant));
    const dal_joint rope = {
        .name = "rope", .type = "motion", .body_b = body, .coordinate = DAL_COORDINATE_LENGTH, .function = number};
    const dal_joint pin = {.name = "pin", .type = "point_on_plane", .body_b = body};
    for (size_t k = 0; k < LEN(force); ++k) {
        dal_force f = {.name = force[k].name, .type = force[k].type, .body_b = body, .coordinate = force[k].along};
        f.function = strcmp(f.type, "actuator") == 0 ? number : 0;
        f.vector[0] = 1.0;
        f.stiffness = 5.0;
        f.axis = 2;
        int added;
        check_ok(ctx, dal_model_add_force(m, &added, &f));
    }
    check_ok(ctx, dal_model_add_joint(m, &number, &rope));
    check_ok(ctx, dal_model_add_joint(m, &number, &pin));
    check_ok(ctx, dal_model_compile(m, &sys));
    check_ok(ctx, dal_page_create(&page, ctx, &(dal_page_spec){.name = "drawn", .model = m}));
    json_t *data = data_of(ctx, page, &size);
    const json_t *scene = json_object_get(data, "scene"), *forces = json_object_get(scene, "forces");
    const json_t *joints = json_object_get(scene, "joints");
    for (size_t k = 0; k < LEN(force); ++k) {
        assert_string_equal(json_string_value(json_object_get(json_array_get(forces, k), "draw")), force[k].draw);
    }
    assert_string_equal(json_string_value(json_object_get(json_array_get(joints, 0), "draw")), "length");
    assert_null(json_object_get(json_array_get(joints, 1), "draw"));
    json_decref(data);
    dal_page_destroy(page);
    dal_model_destroy(m);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(charts_have_traces_of_all_styles),
                                       cmocka_unit_test(chapters_are_stretches_of_the_motion_by_name),
                                       cmocka_unit_test(events_are_marked_on_the_time_axis),
                                       cmocka_unit_test(names_stay_text),
                                       cmocka_unit_test(a_gallery_has_all_pages),
                                       cmocka_unit_test(forces_and_lengths_are_drawn_as_what_they_are),
                                       cmocka_unit_test(the_motion_is_the_one_given),
                                       cmocka_unit_test(long_runs_make_small_pages),
                                       cmocka_unit_test(mistakes_are_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
