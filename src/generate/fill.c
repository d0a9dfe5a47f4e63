/* Templates: text with @key@ replaced. */
#include <stdio.h>

#include "generate/generate_impl.h"

void gen_put_filled(gen_text *out, const char *text, const gen_keys *k)
{
    for (const char *p = text; *p != '\0';) {
        const char *at = strchr(p, '@'), *end = at ? strchr(at + 1, '@') : NULL;
        if (!end) {
            gen_put_n(out, p, strlen(p));
            return;
        }
        gen_put_n(out, p, (size_t)(at - p));
        for (int i = 0; i < k->n; ++i) {
            if (strlen(k->key[i].name) == (size_t)(end - at - 1) &&
                strncmp(k->key[i].name, at + 1, (size_t)(end - at - 1)) == 0) {
                gen_put_n(out, k->key[i].text, strlen(k->key[i].text));
            }
        }
        p = end + 1;
    }
}

void gen_key_text(gen_keys *k, const char *name, const char *text)
{
    snprintf(k->text[k->n], GEN_KEY, "%s", text);
    k->key[k->n] = (gen_key){name, k->text[k->n]};
    k->n++;
}

void gen_key_int(gen_keys *k, const char *name, int value)
{
    char text[32];
    snprintf(text, sizeof text, "%d", value);
    gen_key_text(k, name, text);
}

void gen_key_real(gen_keys *k, const char *name, double value)
{
    char text[64];
    gen_literal(text, sizeof text, value);
    gen_key_text(k, name, text);
}

void gen_key_printed(gen *g, gen_keys *k, const char *name, void (*print)(gen *g))
{
    gen_text *text = &k->longs[k->nlongs++], *out = g->out;
    *text = (gen_text){.ctx = g->ctx};
    g->out = text;
    print(g);
    g->out = out;
    k->key[k->n++] = (gen_key){name, text->s ? text->s : ""};
}

void gen_key_filled(gen *g, gen_keys *k, const char *name, const char *from)
{
    gen_text *text = &k->longs[k->nlongs++];
    *text = (gen_text){.ctx = g->ctx};
    gen_put_filled(text, from, k);
    k->key[k->n++] = (gen_key){name, text->s ? text->s : ""};
}

int gen_keys_release(gen_keys *k)
{
    int failed = 0;
    for (int i = 0; i < k->nlongs; ++i) {
        failed |= k->longs[i].failed;
        gen_text_release(&k->longs[i]);
    }
    return failed;
}
