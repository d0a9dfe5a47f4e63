/* Blanks at the start of lines: the schedule is printed by many hands. */
#include "generate/generate_impl.h"

/* Braces that a line opens less those that it closes, comments apart; closes: how many it begins with. */
static int braces(const char *p, const char *end, int *closes)
{
    int depth = 0, first = 1;
    *closes = 0;
    for (; p < end && !(p[0] == '/' && (p[1] == '/' || p[1] == '*')); ++p) {
        depth += *p == '{' ? 1 : *p == '}' ? -1 : 0;
        first = first && *p == '}';
        *closes += first;
    }
    return depth;
}

/* Where in a line a text begins; its end: nowhere. */
static const char *find(const char *p, const char *end, const char *text)
{
    const size_t n = strlen(text);
    while (p < end && !((size_t)(end - p) >= n && strncmp(p, text, n) == 0)) {
        ++p;
    }
    return p;
}

/* Does a statement go on after this line? */
static int goes_on(const char *p, const char *end)
{
    end = find(p, end, " // ");
    while (end > p && end[-1] == ' ') {
        --end;
    }
    return end > p && *p != '/' && *p != '#' && !strchr(";{}/)", end[-1]);
}

/* What is known of the lines before. */
typedef struct place {
    int depth, comment, on; /* braces; within a comment, a statement, of several lines */
    int was, is;            /* blanks of the line before: as printed, as they are now */
} place;

static void put_line(gen_text *out, place *at, const char *p, const char *end)
{
    const char *start = p;
    int closes;
    while (start < end && *start == ' ') {
        ++start;
    }
    const int own = (int)(start - p), change = braces(start, end, &closes), opens = strncmp(start, "/*", 2) == 0;
    if (at->comment || start == end || *start == '#') {
        at->is = own;
    } else if (at->on) {
        at->is = at->is + own - at->was > 0 ? at->is + own - at->was : 0;
    } else {
        at->is = 4 * (at->depth - closes);
    }
    gen_put(out, "%*s", start < end ? at->is : 0, "");
    gen_put_n(out, start, (size_t)(end - start));
    gen_put_n(out, "\n", 1);
    const int within = at->comment || opens;
    at->comment = within && find(start, end, "*/") == end;
    at->on = !within && goes_on(start, end);
    at->was = own;
    at->depth += within ? 0 : change;
}

dal_status gen_indent(gen_text *t)
{
    gen_text out = {.ctx = t->ctx};
    place at = {0};
    for (const char *p = t->s ? t->s : ""; *p != '\0';) {
        const char *end = strchr(p, '\n');
        end = end ? end : p + strlen(p);
        put_line(&out, &at, p, end);
        p = *end ? end + 1 : end;
    }
    out.failed |= t->failed;
    gen_text_release(t);
    *t = out;
    return out.failed ? dal_fail(out.ctx, DAL_ENOMEM, "generate: no memory for the text") : DAL_OK;
}
