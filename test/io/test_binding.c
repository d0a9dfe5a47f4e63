/* Values set on a simulation give what the document gives when it is opened with them, bit for bit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "dalembert/io.h"
#include "dalembert/sim.h"
#include "io/text.h"
#include "support/check.h"

enum { STEPS = 20, NUMBERS = 20000 };

/* Everything that can be seen of a run. */
typedef struct run {
    int n;
    double x[NUMBERS];
} run;

static void note(run *r, const double *x, int n)
{
    assert_true(r->n + n < NUMBERS);
    memcpy(r->x + r->n, x, (size_t)n * sizeof(double));
    r->n += n;
}

static void step(dal_sim *sim, const dal_model *model, run *r)
{
    const dal_system *sys = dal_sim_system(sim);
    for (int k = 0; k < STEPS; ++k) {
        if (dal_sim_step(sim) != DAL_OK) {
            break; // both stop at the same step
        }
    }
    const dal_state s = dal_sim_state(sim);
    note(r, &s.t, 1);
    note(r, s.q, sys->group->nq);
    note(r, s.v, sys->group->nv);
    note(r, s.la, dal_system_rows(sys));
    const dal_point at = dal_sim_point(sim);
    double *outputs = r->x + r->n;
    assert_true(r->n + dal_model_output_size(model) < NUMBERS);
    if (dal_model_outputs(model, dal_sim_data(sim), outputs, &at) == DAL_OK) {
        r->n += dal_model_output_size(model);
    }
}

typedef struct opened {
    dal_document *doc;
    const dal_system *sys;
    dal_sim *sim;
} opened;

static void close_document(opened *o)
{
    dal_sim_destroy(o->sim);
    dal_document_destroy(o->doc);
}

/* source: a built-in model, or the text of one, with ' for ". */
static dal_status open_document(dal_ctx *ctx, opened *o, const char *source, const char *const *set, int nset)
{
    *o = (opened){.doc = NULL};
    dal_status st = source[0] == '{' ? text_load_set(&o->doc, ctx, source, set, nset)
                                     : dal_document_open(&o->doc, ctx, source, set, nset);
    st = st == DAL_OK ? dal_model_compile(dal_document_model(o->doc), &o->sys) : st;
    st = st == DAL_OK ? dal_document_assemble(o->doc, NULL, o->sys) : st;
    return st == DAL_OK ? dal_sim_create(&o->sim, ctx, o->sys, dal_document_options(o->doc)) : st;
}

/* Opened anew with the values, and run. */
static dal_status run_anew(dal_ctx *ctx, run *r, const char *source, const char *const *set, int nset)
{
    opened o;
    r->n = 0;
    dal_status st = open_document(ctx, &o, source, set, nset);
    if (st == DAL_OK) {
        const dal_model *m = dal_document_model(o.doc);
        st = dal_sim_start(o.sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m));
    }
    if (st == DAL_OK) {
        step(o.sim, dal_document_model(o.doc), r);
    }
    close_document(&o);
    return st;
}

static int same(const run *a, const run *b)
{
    return a->n == b->n && a->n > 0 && memcmp(a->x, b->x, (size_t)a->n * sizeof(double)) == 0;
}

/* One value of a document, and the value it had, with which it runs as before: 1 if it was compared, 0 if it is refused. */
static int compare(dal_ctx *ctx, opened *o, const char *source, const char *name, double value, const run *before)
{
    static run bound, anew;
    char assignment[300];
    dal_binding *b;
    if (dal_binding_create(&b, ctx, o->doc, &name, 1) != DAL_OK) {
        print_message("%-24s %-12s refused: %s\n", source, name, dal_ctx_message(ctx));
        return 0;
    }
    snprintf(assignment, sizeof assignment, "%s=%.17g", name, value);
    const dal_status st = run_anew(ctx, &anew, source, (const char *const[]){assignment}, 1);
    bound.n = 0;
    const dal_status own = dal_binding_start(b, o->sim, NULL, &value);
    if ((st == DAL_OK) != (own == DAL_OK)) {
        fail_msg("%s: %s: %d and %d: %s", source, assignment, (int)st, (int)own, dal_ctx_message(ctx));
    }
    if (own == DAL_OK) {
        step(o->sim, dal_document_model(o->doc), &bound);
        if (!same(&bound, &anew)) {
            fail_msg("%s: other bits than opened anew: %s", assignment, source);
        }
    }
    double old = 0.0;
    for (int k = 0; k < dal_document_variable_count(o->doc); ++k) {
        const dal_variable v = dal_document_variable(o->doc, k);
        old = strcmp(v.name, name) == 0 ? v.value : old;
    }
    check_ok(ctx, dal_binding_start(b, o->sim, NULL, &old));
    bound.n = 0;
    step(o->sim, dal_document_model(o->doc), &bound);
    assert_true(same(&bound, before));
    dal_binding_destroy(b);
    return own == DAL_OK;
}

static void every_variable_of_every_model_is_set_or_refused(void **state)
{
    static run before;
    int compared = 0, refused = 0;
    dal_ctx *ctx = check_ctx();
    for (int k = 0; k < dal_builtin_count(); ++k) {
        const char *source = dal_builtin_model(k).name;
        opened o;
        check_ok(ctx, run_anew(ctx, &before, source, NULL, 0));
        check_ok(ctx, open_document(ctx, &o, source, NULL, 0));
        for (int i = 0; i < dal_document_variable_count(o.doc); ++i) {
            const dal_variable v = dal_document_variable(o.doc, i);
            const double value = v.value != 0.0 ? 1.03 * v.value : 0.01;
            const int done = compare(ctx, &o, source, v.name, value, &before);
            compared += done;
            // the mesh of a beam is made when the model is compiled: its values are refused
            refused += !done && dal_model_beam_count(dal_document_model(o.doc)) == 0;
        }
        close_document(&o);
    }
    print_message("%d compared, %d refused\n", compared, refused);
    assert_true(compared > 6 * refused);
    check_ctx_free(ctx);
}

/* Every way in which a number can depend on a variable; each of these is set. */
static const char machine[] =
    "{'dalembert': 1, 'name': 'machine',"
    " 'variables': {'g': 9.81, 'L': 0.4, 'm': 2, 'w': 3, 'a': 0.2, 'k': 50, 'c': 0.7, 'r': 0.05, 'on': 0.004, 'n': 2,"
    "  'half': 'L/2', 'quarter': 'half/2', 'kk': '2*k', 'T': '0.5 + 0*L', 'x0': 0.1},"
    " 'gravity': [0, '-g', 0],"
    " 'functions': {'sway': {'type': 'harmonic', 'amplitude': 'a', 'omega': 'w'},"
    "  'e': 'a*sin(w*t)/(1 + quarter)', 'poly': {'type': 'polynomial', 'coefficients': [0, 'a', 'c']},"
    "  'tab': {'type': 'table', 'x': [0, 'on', 1], 'y': [0, 'a', 1]},"
    "  'both': {'type': 'sum', 'functions': ['e', 'c*t', 'sway']}},"
    " 'bodies': ["
    "  {'name': 'cart', 'type': 'euler_parameters', 'mass': 'm', 'inertia': {'box': ['L', 'a', 'r']}, 'position': "
    "['x0', 0, 0]},"
    "  {'name': 'arm', 'type': 'cardan', 'density': 1000, 'shape': [{'cylinder': ['r', 'L'], 'frame': [0, 0, 'half']}],"
    "   'position': ['x0', 0, 0], 'rotation': {'axis': [0, 1, 0], 'angle': 'a'}, 'angular_velocity_world': [0, 'a', "
    "0]},"
    "  {'name': 'bob', 'mass': 1, 'inertia': 0.1, 'position': [0, 'L', 2], 'rotation': {'euler': 'zxz', 'angles': "
    "['a', 'c', 0]}},"
    "  {'name': 'p', 'type': 'point', 'mass': 'm/2', 'position': [3, 0, 0], 'velocity': ['w', '0.5*w', 0]},"
    "  {'repeat': 'i', 'to': 2, 'items': [{'name': 'q{i}', 'type': 'planar', 'mass': 'i*m', 'inertia': 'r', "
    "'position': ['i*L', 0]}]}],"
    " 'joints': ["
    "  {'name': 'rail', 'type': 'prismatic', 'body_b': 'cart', 'point': ['x0', 0, 0], 'axis': [1, 0, 0]},"
    "  {'name': 'hinge', 'type': 'revolute', 'body_a': 'cart', 'body_b': 'arm', 'axis': [0, 1, 0]},"
    "  {'name': 'rope', 'type': 'distance', 'body_a': 'bob', 'body_b': 'ground', 'frame_a': ['r', 0, 0], 'frame_b': "
    "[0, 'L', 4]},"
    "  {'name': 'drive', 'type': 'motion', 'body_b': 'q1', 'coordinate': 'translation_x', 'function': 'L + "
    "a*sin(w*t)'},"
    "  {'name': 'blade', 'type': 'pfaffian', 'bodies': ['p'], 'rows': [['-y1*c', 'a', 1, 0, 0, 0, '-c*w - 0.5*a*w + "
    "y1*w*c - c*t*a']]}],"
    " 'forces': ["
    "  {'name': 'control', 'type': 'pid', 'joint': 'hinge', 'stiffness': 'kk', 'damping': 'c', 'integral': 5, "
    "'function': 'sway'},"
    "  {'name': 'rub', 'type': 'friction', 'joint': 'rail', 'mu': 'a', 'slip': 'r'},"
    "  {'name': 'pad', 'type': 'bushing', 'body_a': 'arm', 'body_b': 'bob', 'frame_a': [0, 0, 'L'],"
    "   'stiffness': ['k', 100, 100, 10, 10, 10], 'damping': [1, 1, 1, 'c', 0.1, 0.1]},"
    "  {'name': 'spring', 'type': 'spring', 'body_a': 'q1', 'body_b': 'q2', 'stiffness': 'k', 'characteristic': 'k*x^3 "
    "+ c*x',"
    "   'reference': 'half'},"
    "  {'name': 'push', 'type': 'force', 'body': 'q2', 'vector': ['k', 0], 'function': 'both', 'active': {'from': "
    "'on', 'to': '2*on'}},"
    "  {'name': 'turn', 'type': 'torque', 'body': 'q2', 'vector': [0, 0, 'c'], 'function': 'poly', 'frame': ['a', 0]},"
    "  {'name': 'z', 'type': 'state', 'initial': 'c', 'value': 'a*v - c*z + tanh(w*t)', 'inputs': {'v': "
    "'p.velocity.x', 'z': 'z.state'}},"
    "  {'name': 'law', 'type': 'law', 'body_b': 'p', 'coordinate': 'translation_x', 'value': '-k*z*abs(v)/m + "
    "quarter*t',"
    "   'inputs': {'z': 'z.state', 'v': {'body_b': 'p', 'frame_a': ['a', 0, 0], 'coordinate': 'translation_x', 'rate': "
    "true}}},"
    "  {'name': 'act', 'type': 'actuator', 'joint': 'rail', 'function': 'tab'}],"
    " 'outputs': ['dissipated_energy', 'drive_work', 'energy', 'hinge.torque', 'rail.residual', 'z.state', "
    "'law.power', 'push.work',"
    "  {'name': 'tip', 'quantity': 'position', 'body': 'arm', 'frame': [0, 0, 'L']},"
    "  {'name': 'world', 'quantity': 'velocity', 'body': 'arm', 'point': [0, 0, 1]}],"
    " 'simulation': {'t_end': '2*T', 'h': '0.001*(1 + L - 0.4)'}}";

static void every_way_to_depend_on_a_variable(void **state)
{
    static const char *const names[] = {"g", "L", "m", "w", "a", "k", "c", "r", "on", "half", "quarter", "kk", "x0"};
    static run before;
    dal_ctx *ctx = check_ctx();
    opened o;
    check_ok(ctx, run_anew(ctx, &before, machine, NULL, 0));
    check_ok(ctx, open_document(ctx, &o, machine, NULL, 0));
    for (int k = 0; k < dal_document_variable_count(o.doc); ++k) {
        const dal_variable v = dal_document_variable(o.doc, k);
        for (size_t i = 0; i < LEN(names); ++i) {
            if (strcmp(names[i], v.name) == 0) {
                assert_true(compare(ctx, &o, machine, v.name, 1.07 * v.value, &before));
            }
        }
    }
    close_document(&o);
    check_ctx_free(ctx);
}

/* Vectors, local variables of repetitions and names of options: all numbers follow as if they were written out. */
static void vectors_and_local_variables_follow(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'alpha': '20 deg', 'h': '150 mm', 'p': [0.3, 'h', '2*h'], 'q': 'rotate(p, [0, "
        "0, 1], "
        "alpha)', 'order': 'norm(q - p)', 'm': '2 kg'},"
        " 'gravity': '[0, 0, -9.81 m/s^2]',"
        " 'bodies': [{'name': 'hub', 'mass': 'm', 'inertia': {'box': '[h, 2*h, p.x]'}, 'position': 'q + [0, 0, h]',"
        "   'angular_velocity': 'p*10'},"
        "  {'repeat': 'i', 'to': 3, 'with': {'phi': '2*pi*i/3 + alpha', 'e': ['cos(phi)', 'sin(phi)', 0], 'place': 'q "
        "+ "
        "h*e'},"
        "   'items': [{'name': 'b{i}', 'mass': '(1 + order/h)*m', 'inertia': 0.01, 'position': 'place', 'velocity': "
        "['place.y/(1 s)', 0, 'dot(e, p)/(1 s)']}]}],"
        " 'joints': [{'repeat': 'i', 'to': 3, 'with': {'phi': '2*pi*i/3 + alpha', 'e': '[cos(phi), sin(phi), 0]'},"
        "   'items': [{'name': 'j{i}', 'type': 'revolute', 'body_a': 'hub', 'body_b': 'b{i}', 'point': 'q', 'axis': "
        "'cross([0, 0, 1], e)'}]}],"
        " 'forces': [{'repeat': 'i', 'to': 3, 'with': {'c': 'i*m/10'},"
        "   'items': [{'name': 'f{i}', 'type': 'law', 'joint': 'j{i}', 'value': '-c*w + p.y*sin(t)', 'inputs': {'w': "
        "'j{i}.coordinate_velocity'}}]}],"
        " 'simulation': {'h': 0.001}}";
    static const char *const names[] = {"alpha", "h", "p.x", "q.y", "order", "m"};
    static run before;
    dal_ctx *ctx = check_ctx();
    opened o;
    check_ok(ctx, run_anew(ctx, &before, text, NULL, 0));
    check_ok(ctx, open_document(ctx, &o, text, NULL, 0));
    for (size_t i = 0; i < LEN(names); ++i) {
        double value = 0.0;
        check_ok(ctx, dal_document_value(o.doc, &value, names[i]));
        assert_true(compare(ctx, &o, text, names[i], 1.07 * value, &before));
    }
    close_document(&o);
    check_ctx_free(ctx);
}

/* Numbers of parts follow, too: their places, what is set, what is relative to a body. */
static void parts_follow(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'a': 0.3, 'phi': 0.4, 'm': 2}, 'gravity': [0, 0, -9.81],"
        " 'bodies': [{'name': 'base', 'mass': 3, 'inertia': 0.2, 'position': ['a', 0, 1], 'rotation': {'x_along': [[0, "
        "0, "
        "0], ['a', 'phi', 0]], 'z_axis': [0, 0, 1]}}],"
        " 'parts': [{'repeat': 'i', 'to': 2, 'with': {'p': 'a*i*[cos(phi), sin(phi), 0]'}, 'items': [{'name': "
        "'leg{i}', "
        "'on': 'base', 'in': 'base', 'at': {'position': 'p', 'rotation': {'axis': [1, 1, 0], 'angle': 'phi*i'}}, "
        "'set': "
        "{'L': 'a + i/10', 'mass': 'm'},"
        "  'model': {'dalembert': 1, 'variables': {'L': 1, 'mass': 1, 'k': '3*mass'}, 'inputs': {'u': 0.1},"
        "   'functions': {'f': 'k*sin(t)'},"
        "   'bodies': [{'name': 'rod', 'mass': 'mass', 'inertia': {'rod': 'L'}, 'position': ['L/2', 0, 0], 'velocity': "
        "[0, "
        "'L', 0]}, {'name': 'foot', 'in': 'rod', 'mass': 1, 'inertia': 0.01, 'position': ['L/2', 0, 0]}],"
        "   'joints': [{'name': 'hip', 'type': 'revolute', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 1, 0]},"
        "    {'name': 'ankle', 'type': 'spherical', 'body_a': 'rod', 'body_b': 'foot', 'in': 'rod', 'point': ['L/2', "
        "0, 0]}],"
        "   'forces': [{'name': 's', 'type': 'spring', 'body_b': 'foot', 'stiffness': 'k'}, {'name': 'w', 'type': "
        "'force', "
        "'body': 'foot', 'vector': [0, 'L', 0], 'function': 'f'}, {'name': 'drive', 'type': 'law', 'joint': 'hip', "
        "'value': "
        "'u - 0.1*v', 'inputs': {'v': 'hip.coordinate_velocity'}}],"
        "   'outputs': ['foot.position', 'hip.force', 's.force_value']}}]}],"
        " 'simulation': {'h': 0.001}}";
    static const char *const names[] = {"a", "phi", "m", "leg1.L", "leg2.k"};
    static run before;
    dal_ctx *ctx = check_ctx();
    opened o;
    check_ok(ctx, run_anew(ctx, &before, text, NULL, 0));
    check_ok(ctx, open_document(ctx, &o, text, NULL, 0));
    for (size_t i = 0; i < LEN(names); ++i) {
        double value = 0.0;
        check_ok(ctx, dal_document_value(o.doc, &value, names[i]));
        assert_true(compare(ctx, &o, text, names[i], 1.07 * value, &before));
    }
    close_document(&o);
    check_ctx_free(ctx);
}

/* Where the interfaces of a flexible body are at first depends on its place and on its initial deformation. */
static void places_on_flexible_bodies_follow(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'variables': {'x0': 0.1, 'a': 0.3, 'z': 0.01, 'w': 2},"
        " 'bodies': [{'name': 'rod', 'type': 'flexible', 'position': ['x0', 0, 0], 'rotation': {'axis': [0, 1, 0], "
        "'angle': 'a'},"
        "  'angular_velocity': [0, 'w', 0], 'modal': ['z', '-z/2', 0], 'modal_velocity': [0, 'z*w', 0],"
        "  'beam': {'length': 0.5, 'E': 7e10, 'nu': 0.33, 'density': 2700, 'rectangle': [0.02, 0.002], 'modes': 3}},"
        "  {'name': 'tip', 'mass': 1, 'inertia': 0.1, 'position': [1, 0, 0]}],"
        " 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod/A', 'axis': [0, 1, 0]}],"
        " 'forces': [{'name': 's', 'type': 'bushing', 'body_a': 'rod/B', 'body_b': 'tip', 'point': [0.5, 0, 0],"
        "  'stiffness': [100, 100, 100, 1, 1, 1]}],"
        " 'outputs': [{'name': 'b', 'quantity': 'position', 'body': 'rod/B', 'point': [0.4, 0, 0]}, 'energy'],"
        " 'simulation': {'h': 1e-4}}";
    static const char *const names[] = {"x0", "a", "z", "w"};
    static run before;
    dal_ctx *ctx = check_ctx();
    opened o;
    check_ok(ctx, run_anew(ctx, &before, text, NULL, 0));
    check_ok(ctx, open_document(ctx, &o, text, NULL, 0));
    for (size_t k = 0; k < LEN(names); ++k) {
        const dal_variable v = dal_document_variable(o.doc, (int)k);
        assert_true(compare(ctx, &o, text, names[k], 1.1 * v.value, &before));
    }
    close_document(&o);
    check_ctx_free(ctx);
}

/* All of them at once, in any order; what depends on none stays. */
static void many_values_are_set_together(void **state)
{
    static run bound, anew;
    static const char *const names[] = {"x0", "k", "L", "m", "a", "w", "g", "c", "r", "on"};
    static const double values[] = {0.2, 70.0, 0.5, 3.0, 0.15, 2.0, 1.6, 0.9, 0.06, 0.003};
    static const char *const set[] = {"x0=0.2", "k=70",  "L=0.5", "m=3",    "a=0.15",
                                      "w=2",    "g=1.6", "c=0.9", "r=0.06", "on=0.003"};
    dal_ctx *ctx = check_ctx();
    opened o;
    dal_binding *b;
    double t_end;
    check_ok(ctx, open_document(ctx, &o, machine, NULL, 0));
    check_ok(ctx, dal_binding_create(&b, ctx, o.doc, names, (int)LEN(names)));
    check_ok(ctx, run_anew(ctx, &anew, machine, set, (int)LEN(set)));
    check_ok(ctx, dal_binding_start(b, o.sim, NULL, values));
    bound.n = 0;
    step(o.sim, dal_document_model(o.doc), &bound);
    assert_true(same(&bound, &anew));
    check_ok(ctx, dal_binding_t_end(b, &t_end, values));
    assert_true(t_end == 2 * (0.5 + 0 * 0.5));
    dal_binding_destroy(b);
    close_document(&o);
    check_ctx_free(ctx);
}

/* A number of an element is a value as if a variable stood there. */
static void numbers_of_elements_have_addresses(void **state)
{
    static const char text[] =
        "{'dalembert': 1, 'name': 'p', 'variables': {'a': 1.5, 'b': 0.3, 'c': 40, 'd': -9},"
        " 'gravity': [0, 0, %s], 'bodies': [{'name': 'rod', 'mass': %s, 'inertia': {'box': [0.1, %s, 0.2]},"
        " 'position': [0.5, 0, 0]}],"
        " 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod', 'point': [0, 0, 0], 'axis': [0, 1, 0]}],"
        " 'forces': [{'name': 's.1', 'type': 'spring', 'joint': 'A', 'stiffness': %s}],"
        " 'simulation': {'h': 0.01}}";
    static const char *const names[] = {"bodies.rod.mass", "bodies.rod.inertia.box.1", "forces.s.1.stiffness",
                                        "gravity.2"};
    static const double values[] = {1.5, 0.3, 40.0, -9.0};
    static run bound, anew;
    static char plain[2000], with[2000];
    snprintf(plain, sizeof plain, text, "-9.81", "1", "0.1", "3");
    snprintf(with, sizeof with, text, "'d'", "'a'", "'b'", "'c'");
    dal_ctx *ctx = check_ctx();
    opened o;
    dal_binding *b;
    check_ok(ctx, run_anew(ctx, &anew, with, NULL, 0));
    check_ok(ctx, open_document(ctx, &o, plain, NULL, 0));
    check_ok(ctx, dal_binding_create(&b, ctx, o.doc, names, (int)LEN(names)));
    check_ok(ctx, dal_binding_start(b, o.sim, NULL, values));
    bound.n = 0;
    step(o.sim, dal_document_model(o.doc), &bound);
    assert_true(same(&bound, &anew));
    dal_binding_destroy(b);
    close_document(&o);
    check_ctx_free(ctx);
}

static void what_cannot_be_set_is_refused_with_the_reason(void **state)
{
    static const struct {
        const char *model, *name, *reason;
    } list[] = {
        {"chain", "N", "/bodies/0/to: \"N\" depends on a value that is bound: it is a number of elements"},
        {"chain", "joint", "'joint' is a word"},
        {"chain", "Lx", "no variable 'Lx'"},
        {"chain", "bodies.link1.mas", "no number 'bodies.link1.mas' in the file (did you mean 'bodies.link1.mass'?)"},
        {"chain", "bodies.link1.com.0", "no number 'bodies.link1.com.0' in the file"},
        {"elastica", "beams.beam.section.EI", "sweep and gradient open the model anew with each value"},
        {"spinning_beam", "EA", "the shapes of a flexible body are found when it is compiled"},
        {machine, "n", NULL},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(list); ++k) {
        opened o;
        dal_binding *b;
        check_ok(ctx, open_document(ctx, &o, list[k].model, NULL, 0));
        const dal_status st = dal_binding_create(&b, ctx, o.doc, &list[k].name, 1);
        if (list[k].reason != NULL) {
            check_fails(ctx, st, DAL_EINVAL, list[k].reason);
        } else {
            check_ok(ctx, st);
        }
        dal_binding_destroy(b);
        close_document(&o);
    }
    check_ctx_free(ctx);
}

/* A value that makes no model says where, and the next one works. */
static void a_value_out_of_range_says_where(void **state)
{
    static const char *const name = "m";
    dal_ctx *ctx = check_ctx();
    opened o;
    dal_binding *b;
    const double bad = -1.0, worse = INFINITY, good = 0.2;
    check_ok(ctx, open_document(ctx, &o, "chain", NULL, 0));
    check_ok(ctx, dal_binding_create(&b, ctx, o.doc, &name, 1));
    check_fails(ctx, dal_binding_start(b, o.sim, NULL, &bad), DAL_EINVAL, "body 'link1': mass = -1");
    check_fails(ctx, dal_binding_start(b, o.sim, NULL, &worse), DAL_EINVAL, "variable 'm': inf is out of range");
    check_ok(ctx, dal_binding_start(b, o.sim, NULL, &good));
    dal_binding_destroy(b);
    close_document(&o);
    check_ctx_free(ctx);
}

static void setting_and_starting_allocate_nothing(void **state)
{
    static const char *const chain[] = {"L", "m", "width", "height", "omega"};
    static const double values[2][5] = {{0.1, 0.1, 0.02, 0.02, 0.0}, {0.2, 0.3, 0.03, 0.01, 1.0}};
    check_alloc alloc = {0};
    dal_ctx *ctx = check_ctx_with(&alloc);
    opened o;
    dal_binding *b;
    check_ok(ctx, open_document(ctx, &o, "chain", NULL, 0));
    check_ok(ctx, dal_binding_create(&b, ctx, o.doc, chain, 5));
    check_ok(ctx, dal_binding_start(b, o.sim, NULL, values[0]));
    const long before = alloc.total;
    for (int k = 0; k < 4; ++k) {
        check_ok(ctx, dal_binding_start(b, o.sim, NULL, values[k % 2]));
    }
    assert_int_equal(alloc.total, before);
    dal_binding_destroy(b);
    close_document(&o);
    check_ctx_free(ctx);
}

/* A spring that becomes stiffer during a run: from there on it is the run that starts with the other stiffness at this state. */
static void values_change_during_a_run(void **state)
{
    static const char text[] = "{'dalembert': 1, 'variables': {'k': 50, 'm': 2, 'g': 9.81}, 'gravity': [0, 0, '-g'],"
                               " 'bodies': [{'name': 'a', 'mass': 'm', 'inertia': 0.1, 'position': [0.3, 0, 0]}],"
                               " 'joints': [{'name': 'pin', 'type': 'revolute', 'body_b': 'a', 'point': [0, 0, 0], "
                               "'axis': [0, 1, 0]}],"
                               " 'forces': [{'name': 's', 'type': 'spring', 'joint': 'pin', 'stiffness': 'k'}],"
                               " 'simulation': {'h': 0.001}}";
    static const char *const names[] = {"k", "m"}, *const methods[] = {"integrator=genalpha", "integrator=lobatto"};
    const double after[] = {80.0, 2.5}, bad[] = {80.0, -1.0};
    for (size_t i = 0; i < LEN(methods); ++i) {
        dal_ctx *ctx = check_ctx();
        opened o, other;
        dal_binding *b;
        double q[32], v[32];
        const char *const set[] = {methods[i], "k=80", "m=2.5"};
        check_ok(ctx, open_document(ctx, &o, text, set, 1));
        check_ok(ctx, open_document(ctx, &other, text, set, 3));
        check_ok(ctx, dal_binding_create(&b, ctx, o.doc, names, 2));
        check_ok(ctx, dal_sim_start(o.sim, NULL, 0.0, dal_model_q0(dal_document_model(o.doc)),
                                    dal_model_v0(dal_document_model(o.doc))));
        for (int k = 0; k < 2 * STEPS; ++k) {
            check_ok(ctx, dal_sim_step(o.sim));
        }
        const dal_state s = dal_sim_state(o.sim);
        memcpy(q, s.q, (size_t)o.sys->group->nq * sizeof *q);
        memcpy(v, s.v, (size_t)o.sys->group->nv * sizeof *v);
        check_ok(ctx, dal_sim_start(other.sim, NULL, s.t, q, v));
        check_fails(ctx, dal_binding_change(b, o.sim, bad), DAL_EINVAL, "mass = -1");
        assert_memory_equal(dal_sim_state(o.sim).q, q, (size_t)o.sys->group->nq * sizeof *q);
        check_ok(ctx, dal_binding_change(b, o.sim, after));
        for (int k = 0; k < STEPS; ++k) {
            check_ok(ctx, dal_sim_step(o.sim));
            check_ok(ctx, dal_sim_step(other.sim));
        }
        const dal_state x = dal_sim_state(o.sim), y = dal_sim_state(other.sim);
        for (int k = 0; k < o.sys->group->nq; ++k) {
            assert_near(x.q[k], y.q[k], 1e-12);
        }
        for (int k = 0; k < dal_system_rows(o.sys); ++k) {
            assert_true(fabs(x.la[k] - y.la[k]) <= 1e-8 * (1.0 + fabs(y.la[k])));
        }
        close_document(&o);
        dal_binding_destroy(b);
        close_document(&other);
        check_ctx_free(ctx);
    }
}

static dal_status create_scenario(dal_ctx *ctx, void *user)
{
    static const char *const names[] = {"L", "a", "bodies.bob.mass"};
    dal_binding *b = NULL;
    const dal_status st = dal_binding_create(&b, ctx, user, names, 3);
    dal_binding_destroy(b);
    return st;
}

static void every_allocation_of_a_binding_may_fail(void **state)
{
    dal_ctx *ctx = check_ctx();
    opened o;
    check_ok(ctx, open_document(ctx, &o, machine, NULL, 0));
    assert_true(check_every_allocation(create_scenario, o.doc) > 20);
    close_document(&o);
    check_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variable_of_every_model_is_set_or_refused),
        cmocka_unit_test(every_way_to_depend_on_a_variable),
        cmocka_unit_test(vectors_and_local_variables_follow),
        cmocka_unit_test(parts_follow),
        cmocka_unit_test(places_on_flexible_bodies_follow),
        cmocka_unit_test(many_values_are_set_together),
        cmocka_unit_test(numbers_of_elements_have_addresses),
        cmocka_unit_test(what_cannot_be_set_is_refused_with_the_reason),
        cmocka_unit_test(a_value_out_of_range_says_where),
        cmocka_unit_test(values_change_during_a_run),
        cmocka_unit_test(setting_and_starting_allocate_nothing),
        cmocka_unit_test(every_allocation_of_a_binding_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
