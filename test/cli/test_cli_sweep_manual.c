/* What the manual says about sweeps, done. */
#define _DEFAULT_SOURCE

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/tool.h"

/* Lines "    $ dalembert ..." of the manual, run by a shell with the model that the page prints. */
static void the_commands_of_the_manual_work_as_written(void **state)
{
    char *page = tool_read(DAL_SOURCE "/docs/user/sweep.md");
    char *model = strstr(page, "```json\n") + 8, *end = strstr(model, "```");
    *end = '\0';
    tool_write("crank.json", model);
    const int nlopt = tool_has_nlopt();
    int n = 0, left_out = 0;
    for (char *line = strtok(end + 3, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (!nlopt && strstr(line, "--optimize") != NULL) {
            ++left_out;
        } else if (strncmp(line, "    $ ", 6) == 0) {
            char command[1000];
            const char *tool_path = getenv("DAL_TOOL");
            const int ours = strncmp(line, "    $ dalembert ", 16) == 0;
            snprintf(command, sizeof command, ours ? "%s %s >told.txt 2>&1" : "%s%s",
                     !ours               ? ""
                     : tool_path != NULL ? tool_path
                                         : DAL_TOOL,
                     line + (ours ? 16 : 6));
            if (system(command) != 0) {
                print_error("%s\n%s\n", line, tool_read("told.txt"));
                fail();
            }
            ++n;
        }
    }
    assert_true(n + left_out >= 15);
    assert_true(tool_exists("crank.h5") && tool_exists("parts.h5"));
    free(page);
    // the reach of the slider by hand, to first order
    json_t *j = tool_json("sweep crank.json --samples 100 --collect max(slider.position.x) --json", 0);
    const json_t *reach = json_array_get(json_object_get(j, "collected"), 0);
    const double R = sqrt(0.1 * 0.1 + 0.12 * 0.12), x = sqrt(0.3 * 0.3 - (R - 0.08) * (R - 0.08)),
                 u = 0.0005 / sqrt(3.0);
    const double deviation = sqrt(pow(0.3 * 0.0005, 2) + pow((R - 0.08) * 0.0002, 2) + pow((R - 0.08) * u, 2)) / x;
    assert_near(tool_number(reach, "mean"), x, 1e-4);
    assert_near_rel(tool_number(reach, "deviation"), deviation, 0.1);
    json_decref(j);
    if (left_out > 0) {
        tool_needs_nlopt();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_commands_of_the_manual_work_as_written)};
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
