/* Shapes in the model or in a file beside it move like the beam that they are from; mistakes are told with file and place. */
#include <hdf5.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/flex.h"
#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

enum { TEXT = 1 << 20, OUTPUTS = 10 };

#define BEAM                                                                                                    \
    "{\"length\": 1, \"E\": 1e8, \"nu\": 0.25, \"density\": 1000, \"area\": 5e-4, \"Iy\": 2e-7, \"Iz\": 1e-7, " \
    "\"elements\": 4, \"modes\": 3, \"stiffening\": true, \"damping\": 0.02}"

typedef struct writer {
    char *text;
    size_t n;
} writer;

static void put(writer *w, const char *format, ...) DAL_PRINTF(2, 3);
static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(w->text + w->n, TEXT - w->n, format, args);
    va_end(args);
    assert_true(n >= 0 && w->n + (size_t)n < TEXT);
    w->n += (size_t)n;
}

/* Lists within lists, as long as size says. Returns what follows in x. */
static const double *put_nested(writer *w, const double *x, const int *size, int n)
{
    put(w, "[");
    for (int k = 0; k < size[0]; ++k) {
        put(w, k > 0 ? ", " : "");
        if (n == 1) {
            put(w, "%.17g", *x++);
        } else {
            x = put_nested(w, x, size + 1, n - 1);
        }
    }
    put(w, "]");
    return x;
}

static void put_array(writer *w, const char *key, const double *x, const int *size, int n)
{
    assert_non_null(x);
    put(w, "\"%s\": ", key);
    put_nested(w, x, size, n);
    put(w, ", ");
}

/* The shapes of the beam; matrix: the stiffness as one. */
static void put_modes(writer *w, dal_ctx *ctx, int matrix)
{
    const dal_beam b = {.length = 1.0,
                        .E = 1e8,
                        .G = 4e7,
                        .density = 1000.0,
                        .area = 5e-4,
                        .Iy = 2e-7,
                        .Iz = 1e-7,
                        .elements = 4,
                        .nmodes = 3,
                        .stiffening = 1,
                        .damping = 0.02};
    dal_modes *m;
    check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
    const int N = m->nnodes, n = m->nmodes;
    const int place[2] = {N, 3}, six[2] = {N, 6}, shape[3] = {N, n, 3}, second[4] = {N, n, n, 3}, square[2] = {n, n};
    double K[9] = {0.0};
    assert_int_equal(n, 3);
    for (int k = 0; k < 3; ++k) {
        K[4 * k] = m->stiffness[k];
    }
    put(w, "{");
    put_array(w, "nodes", m->node, place, 2);
    put_array(w, "masses", m->mass, place, 1);
    put_array(w, "inertias", m->inertia, six, 2);
    put_array(w, "shapes", m->shape, shape, 3);
    put_array(w, "rotations", m->rotation, shape, 3);
    put_array(w, "foreshortening", m->foreshortening, second, 4);
    put_array(w, "damping", m->damping, square, 1);
    put_array(w, "stiffness", matrix ? K : m->stiffness, square, matrix ? 2 : 1);
    put(w, "\"interfaces\": {\"A\": %d, \"B\": %d}}", m->interfaces[0], m->interfaces[1]);
    dal_beam_modes_destroy(m);
}

/* A pendulum with a body from the given data. */
static void put_model(writer *w, const char *key, const char *data)
{
    put(w,
        "{\"dalembert\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\": \"flexible\", "
        "\"angular_velocity\": [1, 2, 3], \"modal\": [0.001, 0, 0.0005], \"modal_velocity\": [0, 0.1, 0], \"%s\": "
        "%s}], "
        "\"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"body_b\": \"rod/A\"}], "
        "\"outputs\": [\"rod/B.position\", \"rod.modal_coordinates\", \"pivot.force\", \"energy\"]}",
        key, data);
}

/* Outputs at t = 0.1. */
static void run(double y[OUTPUTS], dal_ctx *ctx, dal_document *doc)
{
    const dal_system *sys;
    dal_sim *sim;
    dal_model *m = dal_document_model(doc);
    dal_options opt = dal_options_init();
    opt.h = 1e-3;
    check_ok(ctx, dal_model_compile(m, &sys));
    assert_int_equal(dal_model_output_size(m), OUTPUTS);
    check_ok(ctx, dal_sim_create(&sim, ctx, sys, &opt));
    check_ok(ctx, dal_sim_start(sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    check_ok(ctx, dal_sim_run(sim, NULL, 0.1));
    const dal_state s = dal_sim_state(sim);
    check_ok(ctx, dal_model_outputs(m, dal_sim_data(sim), y, &(dal_point){s.t, s.q, s.v, s.vd, s.la}));
    dal_sim_destroy(sim);
    dal_document_destroy(doc);
}

static void run_text(double y[OUTPUTS], dal_ctx *ctx, const char *key, const char *data)
{
    static char text[TEXT];
    dal_document *doc;
    writer w = {text, 0};
    put_model(&w, key, data);
    check_ok(ctx, dal_document_parse(&doc, ctx, text, w.n, "test", NULL, 0));
    run(y, ctx, doc);
}

static void write_file(const char *path, const char *text, size_t n)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fwrite(text, 1, n, file) == n);
    assert_int_equal(fclose(file), 0);
}

static void shapes_move_like_the_beam_they_are_from(void **state)
{
    static char text[TEXT], model[TEXT];
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    double beam[OUTPUTS], other[OUTPUTS];
    run_text(beam, ctx, "beam", BEAM);
    for (int matrix = 0; matrix < 2; ++matrix) {
        writer w = {text, 0};
        put_modes(&w, ctx, matrix);
        run_text(other, ctx, "modes", text);
        assert_all_near(other, beam, OUTPUTS, 1e-9);
        write_file(MODES_FOLDER "/rod.json", text, w.n);
        w = (writer){model, 0};
        put_model(&w, "modes_file", "\"rod.json\"");
        write_file(MODES_FOLDER "/model.json", model, w.n);
        check_ok(ctx, dal_document_open(&doc, ctx, MODES_FOLDER "/model.json", NULL, 0));
        run(other, ctx, doc);
        assert_all_near(other, beam, OUTPUTS, 1e-9);
        run_text(other, ctx, "modes_file", "\"" MODES_FOLDER "/rod.json\"");
        assert_all_near(other, beam, OUTPUTS, 1e-9);
    }
    check_ctx_free(ctx);
}

#define BODY(members) "'bodies': [{'name': 'a', 'type': 'flexible', " members "}]"
#define TWO "'nodes': [[0, 0, 0], [1, 0, 0]], 'masses': [1, 1], "
#define MODES(members) BODY("'modes': {" members "}")

static void mistakes_are_told_with_their_place(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {BODY("'modes': 3"), "/bodies/0/modes: expected an object, found a number"},
        {BODY("'modes': {}, 'beam': {}"), "/bodies/0: a flexible body has one of beam, modes, modes_file"},
        {MODES("'nods': []"), "/bodies/0/modes: a set of modes has no 'nods' (did you mean 'nodes'?)"},
        {MODES("'nodes': [], 'masses': [], 'shapes': [], 'stiffness': [1], 'interfaces': []"),
         "/bodies/0/modes/nodes: expected 1 to"},
        {MODES(TWO "'shapes': []"), "/bodies/0/modes: 'stiffness' is missing"},
        {MODES(TWO "'stiffness': [1], 'interfaces': [0]"), "/bodies/0/modes: 'shapes' is missing"},
        {MODES(TWO "'stiffness': [1], 'interfaces': [], 'shapes': [[[0, 0, 0]]]"),
         "/modes/shapes: expected 2 elements, found 1"},
        {MODES(TWO "'stiffness': [1], 'interfaces': [], 'shapes': [[[0, 0, 0]], [[0, 0]]]"),
         "/modes/shapes/1/0: expected 3 elements, found 2"},
        {MODES(TWO "'stiffness': [[1, 0]], 'interfaces': [], 'shapes': []"),
         "/modes/stiffness/0: expected 1 elements, found 2"},
        {MODES(TWO "'stiffness': [1], 'shapes': [[[0, 0, 0]], [[0, 0, 1]]], 'interfaces': {'tip': 2}"),
         "/modes/interfaces/tip: node 2 is not one of 0 .. 1"},
        {BODY("'modes_file': 'absent.json'"), "test:1: /bodies/0/modes_file: cannot open 'absent.json'"},
        {BODY("'modes_file': '" MODES_FOLDER "/wrong.json'"), "/wrong.json:1: /masses: expected 1 elements, found 2"},
        {BODY("'modes_file': '" MODES_FOLDER "/broken.json'"), "/broken.json:1:"},
    };
    static const char wrong[] =
        "{\"nodes\": [[0, 0, 0]], \"masses\": [1, 2], \"stiffness\": [1], \"shapes\": [], \"interfaces\": []}";
    dal_ctx *ctx = check_ctx();
    write_file(MODES_FOLDER "/wrong.json", wrong, strlen(wrong));
    write_file(MODES_FOLDER "/broken.json", wrong, 5);
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        const dal_status st = strstr(cases[k].message, "cannot open") ? DAL_EIO : DAL_EINVAL;
        check_fails(ctx, text_body(&doc, ctx, cases[k].text), st, cases[k].message);
        assert_null(doc);
    }
    check_ctx_free(ctx);
}

/* ---- HDF5 ------------------------------------------------------------------------------------- */

static void write_dataset(hid_t file, const char *name, const double *x, const int *size, int rank)
{
    hsize_t dims[4];
    for (int k = 0; k < rank; ++k) {
        dims[k] = (hsize_t)size[k];
    }
    const hid_t space = H5Screate_simple(rank, dims, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* The shapes of the beam as datasets; interfaces are numbered from 1 on in a list. */
static void write_hdf5(const char *path, dal_ctx *ctx)
{
    const dal_beam b = {.length = 1.0,
                        .E = 1e8,
                        .G = 4e7,
                        .density = 1000.0,
                        .area = 5e-4,
                        .Iy = 2e-7,
                        .Iz = 1e-7,
                        .elements = 4,
                        .nmodes = 3,
                        .stiffening = 1,
                        .damping = 0.02};
    dal_modes *m;
    check_ok(ctx, dal_beam_modes_create(&m, ctx, &b));
    const int N = m->nnodes, n = m->nmodes, two = 2;
    const int place[2] = {N, 3}, six[2] = {N, 6}, shape[3] = {N, n, 3}, second[4] = {N, n, n, 3};
    const double ends[2] = {m->interfaces[0], m->interfaces[1]};
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    write_dataset(file, "nodes", m->node, place, 2);
    write_dataset(file, "masses", m->mass, place, 1);
    write_dataset(file, "inertias", m->inertia, six, 2);
    write_dataset(file, "shapes", m->shape, shape, 3);
    write_dataset(file, "rotations", m->rotation, shape, 3);
    write_dataset(file, "foreshortening", m->foreshortening, second, 4);
    write_dataset(file, "damping", m->damping, &n, 1);
    write_dataset(file, "stiffness", m->stiffness, &n, 1);
    write_dataset(file, "interfaces", ends, &two, 1);
    H5Fclose(file);
    dal_beam_modes_destroy(m);
}

/* Interfaces of a list are called 1, 2. */
static void rename_ends(char *text)
{
    for (char *at = text; (at = strstr(at, "rod/")) != NULL; at += 5) {
        at[4] = at[4] == 'A' ? '1' : '2';
    }
}

static void shapes_in_an_hdf5_file_move_like_the_beam(void **state)
{
    static char text[TEXT];
    dal_ctx *ctx = check_ctx();
    double want[OUTPUTS], got[OUTPUTS];
    dal_document *doc;
    writer w = {text, 0};
    (void)state;
    run_text(want, ctx, "beam", BEAM);
    write_hdf5(MODES_FOLDER "/modes.h5", ctx);
    put_model(&w, "modes_file", "\"" MODES_FOLDER "/modes.h5\"");
    rename_ends(text);
    check_ok(ctx, dal_document_parse(&doc, ctx, text, w.n, "test", NULL, 0));
    run(got, ctx, doc);
    assert_all_near(got, want, OUTPUTS, 1e-9);
    check_ctx_free(ctx);
}

static void an_hdf5_file_without_shapes_is_refused_with_what_is_missing(void **state)
{
    static char text[TEXT];
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    writer w = {text, 0};
    (void)state;
    const hid_t file = H5Fcreate(MODES_FOLDER "/empty.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    put_model(&w, "modes_file", "\"" MODES_FOLDER "/empty.h5\"");
    check_fails(ctx, dal_document_parse(&doc, ctx, text, w.n, "test", NULL, 0), DAL_EINVAL, "nodes");
    check_ctx_free(ctx);
}

/* 2^34 rows without columns hold no numbers, but would be 2^34 empty lists. */
static void an_hdf5_file_with_a_dimension_of_zero_is_refused(void **state)
{
    static char text[TEXT];
    const hsize_t size[2] = {(hsize_t)1 << 34, 0};
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    writer w = {text, 0};
    (void)state;
    const hid_t file = H5Fcreate(MODES_FOLDER "/zero.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                space = H5Screate_simple(2, size, NULL),
                set = H5Dcreate2(file, "nodes", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
    put_model(&w, "modes_file", "\"" MODES_FOLDER "/zero.h5\"");
    check_fails(ctx, dal_document_parse(&doc, ctx, text, w.n, "test", NULL, 0), DAL_EINVAL, "'nodes' is not an array");
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_move_like_the_beam_they_are_from),
        cmocka_unit_test(mistakes_are_told_with_their_place),
        cmocka_unit_test(shapes_in_an_hdf5_file_move_like_the_beam),
        cmocka_unit_test(an_hdf5_file_without_shapes_is_refused_with_what_is_missing),
        cmocka_unit_test(an_hdf5_file_with_a_dimension_of_zero_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
