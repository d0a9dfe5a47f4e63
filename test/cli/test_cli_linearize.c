/* dalembert linearize: documents, inputs and outputs by name, messages. */
#include <math.h>
#include <string.h>

#include "cli/tool.h"

static void write_model(void)
{
    tool_write(
        "motor.json",
        "{\"dalembert\": 1, \"name\": \"motor\", \"gravity\": [0, 0, -9.81],\n"
        " \"functions\": {\"drive\": {\"type\": \"harmonic\", \"amplitude\": 0, \"omega\": 1},\n"
        "  \"both\": {\"type\": \"product\", \"functions\": [\"drive\", \"drive\"]}},\n"
        " \"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.01], \"position\": [0, 0, -1]},\n"
        "  {\"name\": \"wheel\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [5, 0, 0]}],\n"
        " \"joints\": [{\"name\": \"pin\", \"type\": \"revolute\", \"body_b\": \"wheel\", \"point\": [5, 0, 0], "
        "\"axis\": [0, 1, 0]},\n"
        "  {\"name\": \"turn\", \"type\": \"motion\", \"joint\": \"pin\", \"function\": \"both\"},\n"
        "  {\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], \"axis\": [0, -1, "
        "0]}],\n"
        " \"forces\": [{\"name\": \"motor\", \"type\": \"actuator\", \"joint\": \"hinge\", \"function\": \"drive\"},\n"
        "  {\"name\": \"push\", \"type\": \"force\", \"body\": \"rod\", \"vector\": [3, 0, 0], \"function\": "
        "\"drive\"},\n"
        "  {\"name\": \"coil\", \"type\": \"spring\", \"joint\": \"hinge\", \"stiffness\": 5},\n"
        "  {\"name\": \"hold\", \"type\": \"pd\", \"joint\": \"hinge\", \"stiffness\": 7, \"damping\": 1, "
        "\"function\": \"drive\"},\n"
        "  {\"name\": \"air\", \"type\": \"drag\", \"body\": \"rod\", \"damping\": 1}],\n"
        " \"outputs\": [\"hinge.coordinate\"], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}\n");
}

static double at(const json_t *matrix, size_t i, size_t j)
{
    return json_number_value(json_array_get(json_array_get(matrix, i), j));
}

/* The gain at rest, -C A^-1 B + D, of a system with two states x' = a y, y' = ... */
static double gain(const json_t *d, size_t output, size_t input)
{
    const json_t *A = json_object_get(d, "A"), *B = json_object_get(d, "B"), *C = json_object_get(d, "C"),
                 *D = json_object_get(d, "D");
    const double a = at(A, 0, 0), b = at(A, 0, 1), c = at(A, 1, 0), e = at(A, 1, 1), det = a * e - b * c;
    const double u = at(B, 0, input), v = at(B, 1, input);
    const double x = -(e * u - b * v) / det, y = -(a * v - c * u) / det;
    return at(C, output, 0) * x + at(C, output, 1) * y + at(D, output, input);
}

static void inputs_of_all_kinds_have_their_gains(void **state)
{
    write_model();
    json_t *d = tool_json("linearize motor.json --inputs motor,push,coil,hold --outputs hinge.coordinate --json", 0);
    const double stiffness = 2 * 9.81 + 5 + 7; // of the weight, the spring and the control
    tool_keys(d, "model time steady axes states positions redundant warnings inputs outputs input_units output_units "
                 "descriptor A C transformation B D");
    assert_int_equal((int)tool_number(d, "states"), 2);
    assert_near(gain(d, 0, 0), 1.0 / stiffness, 1e-10);
    assert_near(gain(d, 0, 1), 3.0 / stiffness, 1e-10); // a factor of the vector
    assert_near(gain(d, 0, 2), 1.0 / stiffness, 1e-10);
    assert_near(gain(d, 0, 3), 1.0 / stiffness, 1e-10);
    const json_t *E = json_object_get(json_object_get(d, "descriptor"), "E");
    assert_int_equal((int)tool_number(E, "rows"), 12 + 12 + 11);
    assert_int_equal(json_array_size(json_object_get(json_object_get(d, "descriptor"), "unknowns")), 35);
    json_decref(d);
}

/* Inputs of the model: a rod that hangs, m g l = 20 N m. They enter wherever an expression has them, here in a force beside others. */
static void inputs_of_the_model_are_inputs(void **state)
{
    tool_write(
        "swing.json",
        "{\"dalembert\": 1, \"gravity\": [0, 0, -10], \"inputs\": {\"u\": 0, \"torque\": {\"value\": 0, \"unit\": \"N "
        "m\", \"min\": 0, \"max\": "
        "5}}, \"bodies\": [{\"name\": \"rod\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.01], \"position\": [0, 0, -1]}],"
        " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"body_b\": \"rod\", \"point\": [0, 0, 0], "
        "\"axis\": [0, -1, 0]}],"
        " \"forces\": [{\"name\": \"motor\", \"type\": \"law\", \"joint\": \"hinge\", \"value\": \"torque + "
        "3*sin(u)\"}],"
        " \"outputs\": [\"hinge.coordinate\"], \"simulation\": {\"t_end\": 1, \"h\": 0.01}}");
    json_t *d = tool_json("linearize swing.json --inputs torque,u,motor --outputs hinge.coordinate --json", 0);
    static const double slope[] = {1.0, 3.0, 1.0};
    for (size_t k = 0; k < 3; ++k) {
        assert_near(gain(d, 0, k), slope[k] / 20.0, 1e-10);
    }
    assert_string_equal(json_string_value(json_array_get(json_object_get(d, "input_units"), 0)), "N m");
    json_decref(d);
    tool_expect("linearize swing.json --inputs torqe", 2, "no input 'torqe'");
}

static void outputs_need_not_be_in_the_file(void **state)
{
    write_model();
    json_t *d = tool_json(
        "linearize motor.json --inputs motor --outputs rod.position,rod.velocity,hinge.force,energy --json", 0);
    const json_t *names = json_object_get(d, "outputs");
    assert_int_equal(json_array_size(names), 10);
    // components, listed in the file or not, are those of the whole
    json_t *one = tool_json(
        "linearize motor.json --inputs motor --outputs rod.position.x,rod.matrix.13,momentum.x,coil.force_value "
        "--json",
        0);
    assert_near(gain(one, 0, 0), gain(d, 0, 0), 1e-13);
    assert_near(gain(one, 1, 0), -1.0 / (2 * 9.81 + 12), 1e-10); // about -y
    assert_int_equal(json_array_size(json_object_get(one, "outputs")), 4);
    json_decref(one);
    assert_string_equal(json_string_value(json_array_get(names, 0)), "rod.position.x");
    assert_string_equal(json_string_value(json_array_get(names, 9)), "energy");
    assert_near(gain(d, 0, 0), 1.0 / (2 * 9.81 + 12), 1e-10);
    json_decref(d);
}

static void matrices_go_to_a_file(void **state)
{
    write_model();
    tool_expect("linearize motor.json --inputs motor --outputs hinge.coordinate -o deep/linear.h5", 0, NULL);
    assert_true(tool_exists("deep/linear.h5"));
    tool_expect("linearize motor.json --inputs motor -o /dev/null/linear.h5", 5, "linear.h5");
}

static void names_that_are_wrong_are_told(void **state)
{
    write_model();
    tool_expect("linearize motor.json --inputs mtr", 2, "no input 'mtr'");
    tool_expect("linearize motor.json --inputs air", 2, "cannot be an input");
    tool_expect("linearize motor.json --inputs hinge", 2, "prescribes no motion");
    tool_expect("linearize motor.json --inputs turn", 2, "make it a sum");
    tool_expect("linearize motor.json --outputs rid.position", 2, "'rid' is no body");
    tool_expect("linearize motor.json --outputs rod.place", 2, "place");
}

static void a_model_without_inputs_has_its_eigenvalues(void **state)
{
    json_t *d = tool_json("linearize bicycle --set v=5 --json", 0);
    assert_int_equal((int)tool_number(d, "states"), 10);
    assert_string_equal(json_string_value(json_object_get(d, "steady")), "steady");
    double trace = 0.0;
    for (size_t i = 0; i < 10; ++i) {
        trace += at(json_object_get(d, "A"), i, i);
    }
    assert_near(trace, 2 * -0.77534188219585 - 0.32286642900409 - 14.07838969279822, 1e-10);
    json_decref(d);
}

static void inputs_and_files_are_checked_and_told(void **state)
{
    write_model();
    tool_expect("linearize motor.json -i motor,motor", 2, "'motor' is named twice");
    tool_expect("linearize motor.json -i motor -o linear.csv", 2, ".h5 or .hdf5");
    assert_false(tool_exists("linear.csv"));
    tool_result r = tool("linearize motor.json -i motor,coil");
    assert_non_null(strstr(r.out, "  input         motor [N m]\n  input         coil [N m]\n"));
    tool_free(&r);
}

static void a_page_has_poles_and_transfer_functions(void **state)
{
    write_model();
    tool_expect("linearize motor.json -i motor -y hinge.coordinate --html deep/page.html", 0, NULL);
    char *text = tool_read("deep/page.html");
    assert_non_null(text);
    assert_non_null(strstr(text, "\"charts\":[{\"title\":\"poles\""));
    assert_non_null(
        strstr(text, "{\"title\":\"magnitude from motor\",\"x\":\"frequency [Hz]\",\"logX\":true,\"log\":true"));
    assert_non_null(strstr(text, "{\"title\":\"phase from motor\""));
    assert_non_null(strstr(text, "[\"A\",\"2 x 2\"]"));
    free(text);
    tool_expect("linearize motor.json -i motor --html page.txt", 2, "must end in .html");
    tool_expect("linearize motor.json --html poles.html", 0, NULL); // no inputs: poles only
    text = tool_read("poles.html");
    assert_non_null(strstr(text, "poles"));
    assert_null(strstr(text, "magnitude from"));
    free(text);
}

static void a_failure_is_a_document_with_the_error(void **state)
{
    tool_write(
        "falling.json",
        "{\"dalembert\": 1, \"name\": \"falling\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\", "
        "\"mass\": 1, \"inertia\": 1}]}");
    json_t *d = tool_json("linearize falling.json --about static --json", 4);
    tool_keys(d, "model error");
    assert_string_equal(json_string_value(json_object_get(d, "model")), "falling");
    assert_non_null(strstr(json_string_value(json_object_get(d, "error")), "no equilibrium"));
    json_decref(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_has_poles_and_transfer_functions),
        cmocka_unit_test(a_failure_is_a_document_with_the_error),
        cmocka_unit_test(inputs_and_files_are_checked_and_told),
        cmocka_unit_test(inputs_of_all_kinds_have_their_gains),
        cmocka_unit_test(inputs_of_the_model_are_inputs),
        cmocka_unit_test(outputs_need_not_be_in_the_file),
        cmocka_unit_test(matrices_go_to_a_file),
        cmocka_unit_test(names_that_are_wrong_are_told),
        cmocka_unit_test(a_model_without_inputs_has_its_eigenvalues),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
