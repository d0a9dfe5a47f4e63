/* Pages of the tool: view, run --html, report, study --html. What they look like in a browser: test/browser. */
#include <string.h>

#include "cli/tool.h"

#define HOSTILE "</script><script>alert('`x`')</script><!--"

/* A four-bar linkage with the joint C misplaced by `gap`. */
static void write_four_bar(const char *path, double gap)
{
    char text[1600];
    snprintf(text, sizeof text,
             "{\"dalembert\": 1, \"name\": \"four_bar\", \"gravity\": [0, -9.81], \"bodies\": ["
             "{\"name\": \"crank\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"position\": [0, 0.5]}, "
             "{\"name\": \"coupler\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"position\": [1, 1]}, "
             "{\"name\": \"rocker\", \"type\": \"planar\", \"mass\": 1, \"inertia\": 0.1, \"position\": [2, 0.5]}], "
             "\"joints\": [{\"name\": \"A\", \"type\": \"planar_revolute\", \"body_b\": \"crank\", \"point\": [0, 0]}, "
             "{\"name\": \"B\", \"type\": \"planar_revolute\", \"body_a\": \"crank\", \"body_b\": \"coupler\", "
             "\"point\": [0, 1]}, {\"name\": \"C\", \"type\": \"planar_revolute\", \"body_a\": \"coupler\", "
             "\"body_b\": \"rocker\", \"frame_a\": [1, %g], \"frame_b\": [0, 0.5]}, {\"name\": \"D\", \"type\": "
             "\"planar_revolute\", \"body_b\": \"rocker\", \"point\": [2, 0]}], \"simulation\": {\"t_end\": 0.1}}",
             gap);
    tool_write(path, text);
}

static void expect_page(const char *path)
{
    char *text = tool_read(path);
    assert_non_null(text);
    assert_ptr_equal(strstr(text, "<!DOCTYPE html>"), text);
    assert_non_null(strstr(text, "</html>"));
    int scripts = 0;
    for (const char *p = text; (p = strstr(p, "<script")) != NULL; ++p) {
        ++scripts;
    }
    assert_int_equal(scripts, 2);
    // nothing of it comes from elsewhere
    assert_null(strstr(text, "src=\"http"));
    assert_null(strstr(text, "href=\"http"));
    free(text);
}

static void view_names_the_joint_that_is_open(void **state)
{
    write_four_bar("open.json", 0.2);
    tool_result r = tool("view open.json");
    assert_int_equal(r.code, 1);
    assert_non_null(strstr(r.err, "1 joint is open: joint 'C'"));
    assert_null(strstr(r.err, "'D'"));
    assert_string_equal(r.out, "open.html\n");
    tool_free(&r);
    expect_page("open.html");
    char *text = tool_read("open.html");
    assert_non_null(strstr(text, "\"gap\":0.2"));
    free(text);
    write_four_bar("closed.json", 0.0);
    tool_expect("view closed.json -q -o c.html", 0, "");
    expect_page("c.html");
}

static void view_finds_redundant_joints(void **state)
{
    tool_expect("view bricard", 0, "depend on others");
    char *text = tool_read("bricard.html");
    assert_non_null(strstr(text, "\"redundant\":true"));
    free(text);
}

static void mistakes_are_told_before_anything_is_written(void **state)
{
    tool_expect("view", 2, NULL);
    tool_expect("view no_such_model", 3, "no_such_model");
    tool_expect("view heavy_top -o top.txt", 2, "must end in .html");
    tool_expect("view heavy_top -o no/such/folder/top.html", 5, "No such file");
    tool_expect("run heavy_top -o kept --html no/such/folder/top.html", 5, "No such file");
    assert_false(tool_exists("kept"));
    tool_expect("run heavy_top -o kept --html page.svg", 2, "must end in .html");
    assert_false(tool_exists("kept"));
    tool_expect("study pendulum --html no/such/folder/p.html", 5, "No such file");
    tool_expect("report kept", 2, "-o FILE.html");
    tool_expect("report nothing_there -o r.html", 5, "nothing_there");
    assert_false(tool_exists("r.html"));
}

static void a_page_is_whole_or_not_there(void **state)
{
    tool_result r = tool_limited("run heavy_top --html big.html", 30000);
    assert_int_equal(r.code, 5);
    assert_non_null(strstr(r.err, "big.html"));
    assert_null(strstr(r.out, "big.html"));
    assert_false(tool_exists("big.html"));
    tool_free(&r);
}

static void a_run_tells_where_its_page_is(void **state)
{
    tool_result r = tool("run pendulum --html p.html");
    assert_int_equal(r.code, 0);
    assert_non_null(strstr(r.out, "  page          p.html"));
    tool_free(&r);
    expect_page("p.html");
    char *text = tool_read("p.html");
    const char *const panels[] = {"\"energy balance\"", "\"constraint residuals\"", "\"step size\"",
                                  "\"Newton iterations\""};
    for (size_t k = 0; k < LEN(panels); ++k) {
        assert_non_null(strstr(text, panels[k]));
    }
    free(text);
}

static void a_run_that_fails_has_a_page_with_its_failure(void **state)
{
    tool_expect("run chain --set N=20 --set formulation=index3 --h 0.005 --html f.html -q", 4, "did not converge");
    expect_page("f.html");
    char *text = tool_read("f.html"), *warnings = strstr(text, "\"warnings\":[");
    assert_non_null(warnings);
    assert_non_null(strstr(warnings, "did not converge"));
    free(text);
}

static void results_become_pages(void **state)
{
    tool_expect("run heavy_top -q --t-end 0.1 -o top --set spin=120", 0, NULL);
    tool_expect("report top -o csv.html", 0, NULL);
    tool_expect("run heavy_top -q --t-end 0.1 -o top.h5", 0, NULL);
    tool_expect("report top.h5 -o hdf5.html", 0, NULL);
    expect_page("csv.html");
    expect_page("hdf5.html");
    char *text = tool_read("csv.html");
    assert_non_null(strstr(text, "generalized-alpha")); // the summary of the run
    assert_non_null(strstr(text, "\"top.position.x\",\"unit\":\"m\""));
    free(text);
    tool_expect("run heavy_top -q --t-end 0.1 -o bare --tables outputs", 0, NULL);
    tool_expect("report bare -o bare.html", 5, "--tables state");
    assert_false(tool_exists("bare.html"));
}

static void a_study_becomes_a_page(void **state)
{
    tool_expect("study pendulum --h 4e-2,2e-2 --methods index3,ggl --html s.html", 0, NULL);
    expect_page("s.html");
}

static void hostile_names_stay_text(void **state)
{
    tool_write("h.json", "{\"dalembert\": 1, \"name\": \"" HOSTILE "\", \"title\": \"" HOSTILE
                         "\", \"bodies\": [{\"name\": \"" HOSTILE
                         "\", \"mass\": 1, \"inertia\": 1}], \"simulation\": {\"t_end\": 0.1, \"h\": 0.01}}");
    tool_expect("run h.json -q -o hostile --html h.html", 0, NULL);
    tool_expect("report hostile -o hr.html", 0, NULL);
    tool_expect("view h.json -q -o hv.html", 0, NULL);
    tool_expect("study h.json --h 2e-2,1e-2 --html hs.html", 0, NULL);
    const char *const pages[] = {"h.html", "hr.html", "hv.html", "hs.html"};
    for (size_t k = 0; k < LEN(pages); ++k) {
        expect_page(pages[k]);
        char *text = tool_read(pages[k]);
        assert_null(strstr(text, HOSTILE));
        assert_null(strstr(text, "<!--"));
        free(text);
    }
}

static void every_builtin_model_has_a_page(void **state)
{
    tool_result r = tool("models");
    for (char *line = strtok(r.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        char words[200];
        snprintf(words, sizeof words, "view %.*s -q -o m.html", (int)strcspn(line, " "), line);
        tool_expect(words, 0, "");
        expect_page("m.html");
    }
    tool_free(&r);
}

static void a_gallery_shows_those_given(void **state)
{
    tool_expect("gallery heavy_top pendulum -o two.html", 0, NULL);
    char *text = tool_read("two.html");
    assert_non_null(text);
    assert_non_null(strstr(text, "\"name\":\"heavy_top\""));
    assert_non_null(strstr(text, "\"name\":\"pendulum\""));
    assert_null(strstr(text, "\"name\":\"bricard\""));
    free(text);
    tool_expect("gallery no_such_model", 3, "no_such_model");
    tool_expect("gallery heavy_top -o top.txt", 2, "must end in .html");
    assert_false(tool_exists("gallery.html"));
}

/* As in the README: pictures beside results, in a folder that is not there yet. */
static void pictures_and_pages_may_lie_beside_results(void **state)
{
    tool_expect("run pendulum -q --t-end 0.1 -o new/run --plot new/b.svg --html new/run/d.html", 0, NULL);
    assert_true(tool_exists("new/b.svg") && tool_exists("new/run/d.html") && tool_exists("new/run/outputs.csv"));
    tool_expect("run pendulum -q --t-end 0.1 -o new/run --plot newer/b.svg", 5, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_and_pages_may_lie_beside_results),
        cmocka_unit_test(view_names_the_joint_that_is_open),
        cmocka_unit_test(view_finds_redundant_joints),
        cmocka_unit_test(mistakes_are_told_before_anything_is_written),
        cmocka_unit_test(a_page_is_whole_or_not_there),
        cmocka_unit_test(a_run_tells_where_its_page_is),
        cmocka_unit_test(a_run_that_fails_has_a_page_with_its_failure),
        cmocka_unit_test(results_become_pages),
        cmocka_unit_test(a_study_becomes_a_page),
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(every_builtin_model_has_a_page),
        cmocka_unit_test(a_gallery_shows_those_given),
    };
    return cmocka_run_group_tests(tests, tool_enter, tool_leave);
}
