/* The headers of units against the standard as the importer has it: types, values, members, arguments of functions, all at compile time. With STANDARD_HEADERS
 * it is the headers of the standard that are compared: -DSTANDARD_HEADERS -include DIR/fmi2Functions.h -include DIR/fmi3Functions.h. And: functions that units have no use for refuse. */
#define STANDARD_COMPARED
#ifndef STANDARD_HEADERS
#include "fmu/fmi2.h"
#include "fmu/fmi3.h"
#endif

#include <string.h>

#include "importer.h"

#define SAME_VALUE(name, value) _Static_assert((name) == (value), #name);
STANDARD2_STATUS(SAME_VALUE)
STANDARD2_TYPE(SAME_VALUE)
STANDARD2_STATUS_KIND(SAME_VALUE)
STANDARD3_STATUS(SAME_VALUE)

/* The structures once more. */
struct callbacks {
    STANDARD2_CALLBACKS(STANDARD_MEMBER)
};
struct event_info {
    STANDARD2_EVENT_INFO(STANDARD_MEMBER)
};
#define SAME_MEMBER(structure, like, type, name)                                     \
    _Static_assert(offsetof(structure, name) == offsetof(struct like, name), #name); \
    _Static_assert(_Generic(((const structure *)0)->name, type : 1, default : 0), #name);
#define SAME_CALLBACK(type, name) SAME_MEMBER(fmi2CallbackFunctions, callbacks, type, name)
#define SAME_INFO(type, name) SAME_MEMBER(fmi2EventInfo, event_info, type, name)
STANDARD2_CALLBACKS(SAME_CALLBACK)
STANDARD2_EVENT_INFO(SAME_INFO)
_Static_assert(sizeof(fmi2CallbackFunctions) == sizeof(struct callbacks), "callbacks");
_Static_assert(sizeof(fmi2EventInfo) == sizeof(struct event_info), "event information");

#define SAME_FUNCTION(result, name, arguments) \
    _Static_assert(_Generic(&(name), result(*) arguments : 1, default : 0), #name);
#define SAME_FUNCTION2(name, arguments) SAME_FUNCTION(fmi2Status, name, arguments)
#define SAME_FUNCTION3(name, arguments) SAME_FUNCTION(fmi3Status, name, arguments)
STANDARD2_OTHERS(SAME_FUNCTION)
STANDARD2_FUNCTIONS(SAME_FUNCTION2)
STANDARD3_OTHERS(SAME_FUNCTION)
STANDARD3_FUNCTIONS(SAME_FUNCTION3)
#ifdef STANDARD_HEADERS
STANDARD2_REFUSED(SAME_FUNCTION2)
STANDARD3_REFUSED(SAME_FUNCTION3)
#endif

/* One model, both versions: what has other types, clocks or steps that are not awaited. */
static void what_units_do_not_have_refuses(void **state)
{
    static const char text[] =
        "{\"dalembert\": 1, \"name\": \"point\", \"bodies\": [{\"name\": \"a\", \"type\": \"point\", \"mass\": 1}],"
        "\"outputs\": [\"a.position\"], \"simulation\": {\"h\": 0.1}}";
    const fmu_source from = {.text = text, .name = "point"};
    const fmi2CallbackFunctions call = {.logger = importer_log2};
    importer i;
    importer_open(&i, &from, 2, FMU_LIBRARY);
    const unsigned first = 0;
    assert_string_equal(i.p_fmi2GetTypesPlatform(), "default");
    fmi2Component u = i.p_fmi2Instantiate("u", fmi2CoSimulation, i.token, i.resources, &call, 0, 0);
    assert_non_null(u);
    int whole = 0;
    const char *said = NULL;
    assert_int_equal(i.p_fmi2GetInteger(u, &first, 1, &whole), fmi2Error);
    assert_non_null(strstr(importer_message, "fmi2GetInteger"));
    assert_int_equal(i.p_fmi2SetString(u, &first, 1, &said), fmi2Error);
    assert_int_equal(i.p_fmi2CancelStep(u), fmi2Error);
    assert_int_equal(i.p_fmi2GetStringStatus(u, fmi2PendingStatus, &said), fmi2Error);
    i.p_fmi2FreeInstance(u);
    importer_close(&i);

    importer_open(&i, &from, 3, FMU_LIBRARY);
    fmi3Instance w = i.p_fmi3InstantiateModelExchange("w", i.token, i.resources, false, false, NULL, importer_log3);
    assert_non_null(w);
    float single = 0.0F;
    bool tick = false;
    assert_int_equal(i.p_fmi3GetFloat32(w, &first, 1, &single, 1), fmi3Error);
    assert_non_null(strstr(importer_message, "fmi3GetFloat32"));
    assert_int_equal(i.p_fmi3GetClock(w, &first, 1, &tick), fmi3Error);
    assert_int_equal(i.p_fmi3EnterConfigurationMode(w), fmi3Error);
    i.p_fmi3FreeInstance(w);
    importer_close(&i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_units_do_not_have_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
