/* Pieces of JSON. */
#include <stdio.h>

#include "base/number.h"
#include "import/import_impl.h"

void im_put_text(dal_text *t, const char *s)
{
    dal_text_put(t, "\"");
    for (; *s != '\0'; ++s) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            dal_text_print(t, "\\%c", c);
        } else { // braces would stand for words of the model
            dal_text_put_n(t, c < ' ' || c == 127 || c == '{' || c == '}' ? "_" : s, 1);
        }
    }
    dal_text_put(t, "\"");
}

void im_put_number(dal_text *t, double x)
{
    char s[DAL_NUMBER_SIZE];
    dal_number_format(s, x == 0.0 ? 0.0 : x); // no -0
    dal_text_put(t, s);
}

void im_put_numbers(dal_text *t, const double *x, int n)
{
    for (int k = 0; k < n; ++k) {
        dal_text_put(t, k == 0 ? "[" : ", ");
        im_put_number(t, x[k]);
    }
    dal_text_put(t, "]");
}

void im_put_key(dal_text *t, const char *key)
{
    dal_text_print(t, ", \"%s\": ", key);
}

void im_put_named(dal_text *t, const char *key, const char *name)
{
    im_put_key(t, key);
    im_put_text(t, name);
}

void im_put_value(dal_text *t, const char *key, double x)
{
    if (x != 0.0) {
        im_put_key(t, key);
        im_put_number(t, x);
    }
}

void im_put_frame(dal_text *t, const char *key, const im_pose *X)
{
    im_put_key(t, key);
    if (X->q[1] == 0.0 && X->q[2] == 0.0 && X->q[3] == 0.0) {
        im_put_numbers(t, X->p, 3);
        return;
    }
    dal_text_put(t, "{\"position\": ");
    im_put_numbers(t, X->p, 3);
    im_put_key(t, "rotation");
    im_put_numbers(t, X->q, 4);
    dal_text_put(t, "}");
}

void im_begin(im_reader *R, int *n, const char *a, const char *b)
{
    char name[2 * IM_NAME];
    snprintf(name, sizeof name, "%.200s%s%.40s", a, b[0] != '\0' ? "_" : "", b);
    dal_text_print(&R->text, "%s\n    {\"name\": ", (*n)++ > 0 ? "," : "");
    im_put_text(&R->text, name);
}
