/* What is wrong with a model is said with its place, its name and the nearest valid name. */
#include "io/text.h"
#include "support/check.h"

#define BODY "{'name': 'crank', 'mass': 1, 'inertia': [1, 1, 1]}, {'name': 'rod', 'mass': 1, 'inertia': [1, 1, 1]}"
#define BODIES "'bodies': [" BODY "]"

typedef struct mistake {
    const char *text, *message;
} mistake;

static void expect(const mistake *m, size_t n, int whole)
{
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < n; ++k) {
        dal_document *doc;
        check_fails(ctx, whole ? text_load(&doc, ctx, m[k].text) : text_body(&doc, ctx, m[k].text), DAL_EINVAL,
                    m[k].message);
        assert_null(doc);
    }
    check_ctx_free(ctx);
}

static void syntax_errors_carry_line_and_column(void **state)
{
    static const mistake cases[] = {
        {"{'dalembert': 1,\n 'name' 'x'}", "test:2:11: ':' expected near '\"x\"'"},
        {"{'dalembert': 1, 'name': 'a', 'name': 'b'}", "test:1:36: duplicate object key"},
        {"", "test:1:0: '[' or '{' expected"},
        {"{'dalembert': 1} x", "test:1:18: end of file expected"},
        {"{'dalembert': 1e999}", "real number overflow"},
        {"{'dalembert': nan}", "invalid token"},
        {"[1, 2]", "test:1: /: expected an object, found a list"},
    };
    expect(cases, LEN(cases), 1);
}

static void the_format_is_named_and_known(void **state)
{
    static const mistake cases[] = {
        {"{}", "test:1: /: 'dalembert' is missing"},
        {"{'dalembert': 2}", "/dalembert: this is format 2"},
        {"{'dalembert': 1, 'bodis': []}", "test:1: /: a model has no 'bodis' (did you mean 'bodies'?)"},
        {"{'dalembert': 1, 'qqqqqqqqqqq': []}", "a model has no 'qqqqqqqqqqq', only dalembert name title"},
        {"{'dalembert': 1, 'name': 3}", "/name: expected a text"},
        {"{'dalembert': 1, 'gravity': 9.81}", "/gravity: expected a list, found a number"},
        {"{'dalembert': 1, 'gravity': [1]}", "/gravity: expected 2 to 3 elements, found 1"},
        {"{'dalembert': 1, 'gravity': [0, 0, null]}", "/gravity/2: expected a number or an expression, found null"},
        {"{'dalembert': 1, 'bodies': {}}", "/bodies: expected a list, found an object"},
        {"{'dalembert': 1, 'bodies': [3]}", "/bodies/0: expected an object, found a number"},
        {"{'dalembert': 1, 'gravity': [0, 0, 1e200]}", "/gravity/2: 1e+200 is out of range"},
    };
    expect(cases, LEN(cases), 1);
}

static void variables_are_checked(void **state)
{
    static const mistake cases[] = {
        {"'variables': {'a': 'b', 'b': '2*a'}", "variable 'a' depends on itself"},
        {"'variables': {'Length': 1, 'x': 'Lenght/2'}",
         "/variables: variable 'x': \"Lenght/2\", column 1: no variable 'Lenght' (did you mean 'Length'?)"},
        {"'variables': {'a': true}", "/variables/a: expected a number or an expression"},
        {"'variables': {'sin': 1}", "/variables/sin: 'sin' cannot be a name"},
        {"'variables': {'p': [1]}", "/variables/p: expected 2 to 3 elements, found 1"},
        {"'variables': {'p': [1, 2], 'q': 'p*p'}", "variable 'q': \"p*p\", column 1: the product of two vectors"},
        {"'variables': {'p': [1, 2], 'q': 'p.w'}", "no variable 'p.w'"},
        {"'variables': {'p': 'q', 'q': '2*p'}", "depends on itself"},
        {"'variables': {'m': '2 kg', 'L': '1 m + m'}", "m and kg cannot be added"},
        {"'variables': {'t_end': 1}", "/variables/t_end: 't_end' is the end of the simulation"},
        {"'variables': {'a': '1e90*1e90'}", "variable 'a': 1e+180 is out of range"},
        {"'variables': []", "/variables: expected an object"},
        {"'variables': {'a': 1}, 'words': {'a': 'x'}", "/words/a: there is a variable of this name"},
        {"'words': {'a': 1}", "/words/a: expected a text"},
        {"'gravity': [0, 0, '-g']", "/gravity/2: \"-g\", column 2: no variable 'g'"},
    };
    expect(cases, LEN(cases), 0);
}

static void bodies_are_checked(void **state)
{
    static const mistake cases[] = {
        {"'bodies': [{'mass': 1}]", "/bodies/0: 'name' is missing"},
        {"'bodies': [{'name': 'a'}]", "/bodies/0: 'mass' is missing"},
        {"'bodies': [{'name': 'a', 'mass': 1}]", "/bodies/0: 'inertia' is missing"},
        {"'bodies': [{'name': 'a', 'mass': -1, 'inertia': 1}]", "mass = -1"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, -1]}]", "not positive semidefinite"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1, 2, 0, 0]}]", "not positive semidefinite"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1]}]", "/inertia: expected 3 elements, found 2"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': {'bax': [1, 1, 1]}}]",
         "/bodies/0/inertia: a shape has no 'bax' (did you mean 'box'?)"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': {'qqqq': [1, 1, 1]}}]", "a shape is one of box, rod"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'shape': {'boxx': [1, 1, 1], 'colour': '#ff0000'}}]",
         "a shape has no 'boxx' (did you mean 'box'?)"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': {'rod': -1}}]",
         "/inertia/rod: the lengths of a rod cannot be negative"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': {'box': [1, -2, 1]}}]",
         "/inertia/box: the lengths of a box cannot be negative"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': {'cylinder': [-1, 1]}}]",
         "/inertia/cylinder: the lengths of a cylinder cannot"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': {'box': [1, 1, 1], 'axis': 'x'}}]",
         "/inertia: this shape has no 'axis', only box"},
        {"'bodies': [{'name': 'a', 'type': 'r3s03', 'mass': 1}]",
         "/bodies/0/type: no type of body 'r3s03' (did you mean 'r3so3'?)"},
        {"'bodies': [{'name': 'a', 'type': 'point', 'mass': 1, 'inertia': 1}]", "a point has no 'inertia'"},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'positon': [0, 0, 0]}]",
         "/bodies/0: a body has no 'positon' (did you mean 'position'?)"},
        {"'bodies': [{'name': 'a', 'type': 'point', 'mass': 1}, {'name': 'a', 'type': 'point', 'mass': 1}]",
         "/bodies/1: "},
        {"'bodies': [{'name': 'ground', 'type': 'point', 'mass': 1}]", "/bodies/0: "},
        {"'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'angular_velocity': 1, "
         "'angular_velocity_world': [0, 0, 1]}]",
         "either angular_velocity"},
    };
    expect(cases, LEN(cases), 0);
}

#define TURNED(rotation) "'bodies': [{'name': 'a', 'mass': 1, 'inertia': 1, 'rotation': " rotation "}]"

static void rotations_are_checked(void **state)
{
    static const mistake cases[] = {
        {TURNED("[1, 0, 0]"), "/bodies/0/rotation: expected 4 elements, found 3"},
        {TURNED("[2, 0, 0, 0]"), "a quaternion (scalar first) must have length 1; this one has 2"},
        {TURNED("[0, 0, 0, 0]"), "must have length 1; this one has 0"},
        {TURNED("{'matrix': [[1, 0, 0], [0, 1, 0], [0, 1, 1]]}"), "/matrix: this matrix is not orthogonal"},
        {TURNED("{'matrix': [[1, 0, 0], [0, 1, 0], [0, 0, -1]]}"), "is a reflection"},
        {TURNED("{'matrix': [[1, 0, 0], [0, 1, 0]]}"), "/matrix: expected 3 elements, found 2"},
        {TURNED("{'axis': [0, 0, 0], 'angle': 1}"), "/rotation/axis: a direction must not be zero"},
        {TURNED("{'axis': [0, 0, 1]}"), "/rotation: 'angle' is missing"},
        {TURNED("{'euler': 'xya', 'angles': [0, 0, 0]}"), "expected three of the letters x, y, z"},
        {TURNED("{'euler': 'xyz'}"), "'angles' is missing"},
        {TURNED("{'x_along': [[0, 0, 0], [0, 0, 2]], 'z_axis': [1e-12, 0, 1]}"),
         "/bodies/0/rotation: 'z_axis' has the direction of 'x_along': it must point across"},
        {TURNED("{'vektor': [0, 0, 1]}"), "a rotation has no 'vektor' (did you mean 'vector'?)"},
        {TURNED("{}"), "a rotation is one of quaternion, matrix, axis, vector, euler"},
        {TURNED("{'angle': 1}"), "a rotation is one of quaternion"},
        {TURNED("true"), "/bodies/0/rotation: expected an object, found a flag"},
        {TURNED("{'quaternion': [1, 0, 0, 0], 'axis': [1, 0, 0]}"), "a quaternion has no 'axis'"},
    };
    expect(cases, LEN(cases), 0);
}

static void joints_are_checked(void **state)
{
    static const mistake cases[] = {
        {BODIES ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_a': 'crnk', 'body_b': 'rod'}]",
         "test:1: /joints/0/body_a: no body 'crnk' (did you mean 'crank'?)"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'sperical', 'body_b': 'rod'}]",
         "/joints/0/type: no type of joint 'sperical' (did you mean 'spherical'?)"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'spherical', 'body_b': 'rod', 'pitch': 1}]",
         "/joints/0: this type of joint has no 'pitch'"},
        {BODIES ", 'joints': [{'type': 'spherical', 'body_b': 'rod'}]", "/joints/0: 'name' is missing"},
        {BODIES ", 'joints': [{'name': 'j', 'type': 'spherical', 'body_b': 'rod', 'release': -1}]",
         "/joints/0/release: a joint is released at the start, t = 0, or later, not at t = -1"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'spherical'}]", "body_a and body_b are the same"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod', 'axis': [0, 0, 0]}]",
         "/joints/0/axis: a direction must not be zero"},
        {BODIES
         ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod', 'axis': [0, 1, 0], 'x_axis': [0, 2, 0]}]",
         "/joints/0: the two axes are parallel"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod', 'point': [0, 0], 'frame_a': [0, 0]}]",
         "either a common point and axes"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'distance', 'body_b': 'rod', 'point': [0, 0]}]",
         "its ends are at two places"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'generic', 'body_b': 'rod', 'locked': ['x', 'rw']}]",
         "/joints/0/locked/1: no direction 'rw'"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'motion', 'body_b': 'rod', 'coordinate': 'length'}]",
         "/joints/0: 'function' is missing"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'motion', 'joint': 'B', 'point': [0, 0], 'function': 1}]",
         "a motion along the coordinate of a joint has no 'point'"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'gear', 'joint_1': 'B', 'joint_2': 'C'}]", "'ratio' is missing"},
        {BODIES
         ", 'joints': [{'name': 'B', 'type': 'revolute', 'body_b': 'rod'}, {'name': 'A', 'type': 'gear', 'joint_1': "
         "'B', 'joint_2': 'B', 'ratio': [1, 2]}]",
         "joint 'A': joint_1 and joint_2 are the same coordinate of 'B'"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'pfaffian', 'bodies': ['rod'], 'rows': [['x2', 0, 0, 0, 0, 0]]}]",
         "/joints/0/rows/0/0: \"x2\", column 1: no variable 'x2'"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'pfaffian', 'bodies': ['rod'], 'rows': [[1, 0]]}]",
         "/joints/0/rows/0: expected 6 to 7 elements, found 2"},
    };
    expect(cases, LEN(cases), 0);
}

static void forces_are_checked(void **state)
{
    static const mistake cases[] = {
        {BODIES ", 'forces': [{'name': 'f', 'type': 'froce'}]",
         "/forces/0/type: no type of force 'froce' (did you mean 'force'?)"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'force', 'body': 'rod'}]", "/forces/0: 'vector' is missing"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'spring', 'body_b': 'rod'}]",
         "/forces/0: 'stiffness', 'cubic', 'damping' or 'characteristic' is missing"},
        {BODIES
         ", 'forces': [{'name': 'f', 'type': 'pd', 'body_b': 'rod', 'function': 't', 'coordinate': 'rotation_x'}]",
         "/forces/0: 'stiffness' or 'damping' is missing"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod'}]",
         "/forces/0: 'damping' or 'quadratic' is missing"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod', 'damping': '1 kg'}]",
         "/forces/0/damping: \"1 kg\" is in kg, and this number is in N s/m"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod'}]"
                ", 'forces': [{'name': 'f', 'type': 'spring', 'joint': 'A', 'stiffness': '5 N/m'}]",
         "/forces/0/stiffness: \"5 N/m\" is in kg s^-2, and this number is in N m/rad"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'spring', 'body_b': 'rod', 'stiffness': '5 N*m'}]",
         "/forces/0/stiffness: \"5 N*m\" is in kg m^2 s^-2, and this number is in N/m"},
        {BODIES ", 'joints': [{'name': 'A', 'type': 'revolute', 'body_b': 'rod'}]"
                ", 'forces': [{'name': 'f', 'type': 'law', 'joint': 'A', 'value': '5 N'}]",
         "and this number is in N m"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'torque', 'body': 'rod', 'vector': [0, 0, '5 N']}]",
         "/forces/0/vector/2: \"5 N\" is in kg m s^-2, and this number is in N m"},
        {BODIES ", 'variables': {'t': 2}, 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'rod', 'coordinate': "
                "'translation_x', 'value': '3*t'}]",
         "/forces/0/value: 't' is the time here, and a variable; rename the variable"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod', 'damping': '1 kgs'}]",
         "\"1 kgs\", column 3: expected an operator or the end: a product is written with *; units stand behind "
         "numbers"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod', 'damping': '2**3'}]",
         "\"2**3\", column 2: a power is written with ^"},
        {BODIES ", 'functions': {'F': 't'}, 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod', 'damping': '2*F'}]",
         "column 3: 'F' is a function of the model: write its argument, as in F(t)"},
        {BODIES
         ", 'functions': {'F': '1/t'}, 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod', 'damping': 'F(0)'}]",
         "/forces/0/damping: function 'F' is not finite at 0"},
        {BODIES ", 'functions': {'G': '2*F(t)', 'F': 't'}",
         "/functions/G: it calls 'F', which stands behind it: functions call those before them"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'law', 'body_b': 'rod', 'coordinate': 'translation_x', "
                "'value': '2*speec', 'inputs': {'speed': 'rod.velocity.x', 'w': 'crank.velocity.x'}}]",
         "no variable 'speec' (did you mean 'speed'?); inputs are t, speed, w"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'torque', 'body': 'rood', 'vector': [0, 0, 1]}]",
         "/forces/0/body: no body 'rood' (did you mean 'rod'?)"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'drag', 'body': 'rod', 'stiffness': 1}]", "has no 'stiffness'"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'bushing', 'body_b': 'rod', 'stiffness': [1, 2, 3]}]",
         "/stiffness: expected 6 elements, found 3"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'actuator', 'body_b': 'rod', 'function': 'driv'}], "
                "'functions': {'drive': {'type': 'constant', 'value': 1}}",
         "/forces/0/function: no function 'driv' (did you mean 'drive'?)"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'spring', 'joint': 'A', 'body_a': 'rod'}]",
         "/forces/0/body_a: 'body_a' is not needed"},
        {BODIES ", 'forces': [{'name': 'f', 'type': 'friction', 'mu': 1, 'slip': 1}]", "'joint' is missing"},
    };
    expect(cases, LEN(cases), 0);
}

static void functions_are_checked(void **state)
{
    static const mistake cases[] = {
        {"'functions': {'f': {'type': 'harmonc'}}", "/functions/f/type: no type of function 'harmonc'"},
        {"'functions': {'f': {'type': 'harmonic', 'amplitude': 1}}", "/functions/f: 'omega' is missing"},
        {"'functions': {'f': {'type': 'table', 'x': [0, 1], 'y': [0]}}", "/functions/f: x has 2 numbers, y has 1"},
        {"'functions': {'f': {'type': 'sum', 'functions': ['g']}}", "/functions/f/functions/0: no function 'g'"},
        {"'functions': {'f': true}", "/functions/f: expected a function"},
        {"'functions': 3", "/functions: expected an object"},
    };
    expect(cases, LEN(cases), 0);
}

static void outputs_and_misspelt_keys_are_checked(void **state)
{
    static const mistake cases[] = {
        {BODIES ", 'outputs': ['crank.positoin']", "no quantity 'positoin' (did you mean 'position'?)"},
        {BODIES ", 'outputs': ['crank.qqqqqqqqqqqq']", // those of a body alone
         "no quantity 'qqqqqqqqqqqq'; there are: position, quaternion, matrix, rotation_vector, euler_angles, "
         "velocity, "},
        {BODIES ", 'outputs': ['qqqqqqqqqqqq']",
         "there are: kinetic_energy, potential_energy, energy, dissipated_energy, "},
        {BODIES ", 'outputs': ['crnk.position']", "/outputs/0: no body 'crnk' (did you mean 'crank'?)"},
        {BODIES ", 'outputs': ['position']", "of what? Write \"name.position\""},
        {BODIES ", 'outputs': ['rod.energy']", "\"energy\" belongs to the whole model"},
        {BODIES ", 'outputs': [{'quantity': 'energy', 'body': 'rod'}]", "this output has no 'body'"},
        {BODIES ", 'outputs': [{'quantity': 'force'}]", "/outputs/0: 'joint' is missing"},
        {BODIES ", 'outputs': [{'body': 'rod'}]", "'quantity' is missing"},
        {BODIES ", 'outputs': [{'body': 'rod', 'quantitiy': 'position'}]",
         "/outputs/0: an output has no 'quantitiy' (did you mean 'quantity'?)"},
        {BODIES ", 'joints': [{'tpye': 'revolute', 'name': 'X', 'body_b': 'rod'}]",
         "/joints/0: a joint has no 'tpye' (did you mean 'type'?)"},
        {BODIES ", 'forces': [{'typ': 'force', 'name': 'X', 'body': 'rod'}]",
         "/forces/0: a force has no 'typ' (did you mean 'type'?)"},
        {BODIES ", 'functions': {'f': {'tipe': 'harmonic'}}",
         "/functions/f: a function has no 'tipe' (did you mean 'type'?)"},
        {BODIES ", 'sweep': {'vray': {'L': '1:2:3'}}", "/sweep: the sweep has no 'vray' (did you mean 'vary'?)"},
        {BODIES ", 'sweep': [1]", "/sweep: expected an object, found a list"},
    };
    expect(cases, LEN(cases), 0);
}

static void simulations_and_repetitions_are_checked(void **state)
{
    static const mistake cases[] = {
        {"'simulation': {'t_end': -1}", "/simulation/t_end: t_end = -1 is not positive"},
        {"'simulation': {'t_end': '5 m'}", "/simulation/t_end: \"5 m\" is in m, and this number is in s"},
        {"'simulation': {'h': '1 mm'}", "/simulation/h: \"1 mm\" is in m, and this number is in s"},
        {"'simulation': 1", "/simulation: expected an object"},
        {"'simulation': {'rho': 0.9}", "/simulation/rho: no option 'rho'"},
        {"'simulation': {'rho_imf': 0.9}", "/simulation/rho_imf: no option 'rho_imf' (did you mean 'rho_inf'?)"},
        {"'bodies': [{'repeat': 'i', 'items': []}]", "/bodies/0: 'to' is missing"},
        {"'bodies': [{'repeat': 'i', 'to': 1.5, 'items': []}]", "/bodies/0/to: expected a whole number, found 1.5"},
        {"'bodies': [{'repeat': 'pi', 'to': 1, 'items': []}]", "'pi' cannot be an index"},
        {"'variables': {'i': 1}, 'bodies': [{'repeat': 'i', 'to': 1, 'items': []}]", "'i' cannot be an index"},
        {"'bodies': [{'repeat': 'i', 'to': 1, 'itmes': []}]", "a repetition has no 'itmes' (did you mean 'items'?)"},
        {"'bodies': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'a{j}', 'type': 'point', 'mass': 1}]}]",
         "test:1: /bodies/0/items/0/name (i = 1): \"j\", column 1: no variable 'j'"},
        {"'bodies': [{'repeat': 'i', 'to': 2, 'items': [{'name': 'a', 'type': 'point', 'mass': 1}]}]",
         "test:1: /bodies/0/items/0 (i = 2): "},
        {"'bodies': [{'name': 'a{1', 'type': 'point', 'mass': 1}]", "/bodies/0/name: '{' without '}'"},
        {"'bodies': [{'name': 'a{1/2}', 'type': 'point', 'mass': 1}]", "{1/2} = 0.5 is not a whole number"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        const dal_status st = text_body(&doc, ctx, cases[k].text);
        check_fails(ctx, st, st == DAL_OK ? DAL_EINVAL : st, cases[k].message);
        assert_int_not_equal(st, DAL_OK);
    }
    dal_document *doc;
    check_fails(ctx, text_body(&doc, ctx, "'simulation': {'rho_inf': 2}"), DAL_EOPTION, "/simulation/rho_inf: ");
    check_fails(ctx, text_body(&doc, ctx, "'simulation': {'formulation': 'index4'}"), DAL_EOPTION,
                "/simulation/formulation: ");
    check_ctx_free(ctx);
}

static void assignments_are_checked(void **state)
{
    static const char *const cases[][2] = {
        {"Lenght=2", "no variable or option 'Lenght' (did you mean 'Length'?)"},
        {"Length", "'Length' is not of the form name=value"},
        {"rho_imf=0.3", "no variable or option 'rho_imf' (did you mean 'rho_inf'?)"},
        {"rho_inf=2", "rho_inf"},
        {"h=1/0", "option 'h': \"1/0\", column 1: the value is not finite"},
        {"Length=1/0", "variable 'Length': \"1/0\", column 1: the value is not finite"},
        {"t_end=0", "t_end = 0 is not positive"},
    };
    dal_ctx *ctx = check_ctx();
    for (size_t k = 0; k < LEN(cases); ++k) {
        dal_document *doc;
        const dal_status st = text_load_set(&doc, ctx, "{'dalembert': 1, 'variables': {'Length': 1}}", &cases[k][0], 1);
        assert_int_not_equal(st, DAL_OK);
        check_fails(ctx, st, st, cases[k][1]);
    }
    check_ctx_free(ctx);
}

static void files_that_cannot_be_read_are_named(void **state)
{
    dal_ctx *ctx = check_ctx();
    dal_document *doc;
    check_fails(ctx, dal_document_open(&doc, ctx, "no/such/file.json", NULL, 0), DAL_EIO,
                "cannot open 'no/such/file.json': No such file");
    check_fails(ctx, dal_document_open(&doc, ctx, "heavy_tob", NULL, 0), DAL_EIO,
                "no built-in model has this name (did you mean 'heavy_top'?)");
    check_ctx_free(ctx);
}

/* Beams wait for those that they are joined to, but not for each other. */
static void beams_that_wait_for_each_other_are_named(void **state)
{
    (void)state;
#define BEAM(name, start)                                    \
    "{'name': '" name "', 'to': [1, 0, 0], 'start': '" start \
    "', 'section': {'circle': 0.01, 'E': 1, 'nu': 0, 'density': 1}}"
    static const mistake cases[] = {
        {"{'dalembert': 1, 'beams': [" BEAM("a", "c@1") ", " BEAM("b", "a@1") ", " BEAM("c", "b@1") "]}",
         "/beams/1/start: beams 'a' and 'b' are each joined to the other, or through others: let a joint"},
        {"{'dalembert': 1, 'beams': [" BEAM("a", "d@1") ", " BEAM("b", "a@1") "]}", "/beams/0/start: no body 'd@1'"},
        {"{'dalembert': 1, 'beams': [" BEAM("a", "b@1") ", " BEAM("b", "ground") ", " BEAM("b", "ground") "]}",
         "there is a beam 'b' already"},
        {"{'dalembert': 1, 'beams': [{'repeat': 'i', 'to': 60, 'items': [" BEAM("b{i}", "b{i + 1}@1") "]}]}",
         "more than 50 beams, each joined to the next"},
    };
    expect(cases, LEN(cases), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax_errors_carry_line_and_column),
        cmocka_unit_test(the_format_is_named_and_known),
        cmocka_unit_test(beams_that_wait_for_each_other_are_named),
        cmocka_unit_test(variables_are_checked),
        cmocka_unit_test(bodies_are_checked),
        cmocka_unit_test(rotations_are_checked),
        cmocka_unit_test(joints_are_checked),
        cmocka_unit_test(forces_are_checked),
        cmocka_unit_test(functions_are_checked),
        cmocka_unit_test(outputs_and_misspelt_keys_are_checked),
        cmocka_unit_test(simulations_and_repetitions_are_checked),
        cmocka_unit_test(assignments_are_checked),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
