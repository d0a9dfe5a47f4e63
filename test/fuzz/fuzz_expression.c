/* Any bytes as an expression: read at once, and compiled with inputs. Nothing may crash or leak; what is accepted has the
 * same value by every way of evaluating it. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/expression.h"

enum { NIN = 3, POINTS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static long live;

static void *take(size_t bytes, void *user)
{
    (void)user;
    void *memory = malloc(bytes + 1);
    live += memory != NULL;
    return memory;
}

static void give(void *memory, void *user)
{
    (void)user;
    --live;
    free(memory);
}

static void demand(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

static int same(double x, double y)
{
    return (isnan(x) && isnan(y)) || (x == y && !signbit(x) == !signbit(y));
}

static void evaluate(const dal_expression *e)
{
    static const double at[POINTS][NIN] = {{0.0, 0.0, 0.0}, {0.3, -1.7, 2.9}, {-1e30, 1e-30, 7.0}, {1.0, 1.0, -1.0}};
    for (int k = 0; k < POINTS; ++k) {
        double curve[3 * NIN], g[NIN], y[3];
        for (int i = 0; i < NIN; ++i) {
            curve[3 * i] = at[k][i];
            curve[3 * i + 1] = i == 0;
            curve[3 * i + 2] = 0.0;
        }
        const double value = dal_expression_at(e, at[k]);
        demand(same(value, dal_expression_gradient(g, e, at[k])), "the gradient has another value");
        dal_expression_along(y, e, curve);
        demand(same(value, y[0]), "the curve has another value");
        for (int i = 0; i < NIN; ++i) {
            demand(dal_expression_uses(e, i) || g[i] == 0.0, "a derivative by an input that is not used");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const inputs[NIN] = {"t", "x", "v"};
    const dal_config config = {.alloc = take, .release = give};
    dal_ctx *ctx;
    dal_expression *e;
    double x = 42.0;
    char *text = malloc(size + 1);
    if (text == NULL || dal_ctx_create(&ctx, &config) != DAL_OK) {
        free(text);
        return 0;
    }
    memcpy(text, data, size);
    text[size] = '\0';
    const dal_status number = dal_expression_value(&x, ctx, text, NULL, 0);
    demand(number == DAL_OK ? isfinite(x) : x == 42.0 && dal_ctx_message(ctx)[0] != '\0', "a value, or a message");
    dal_ctx_clear(ctx);
    const dal_status st = dal_expression_compile(&e, ctx, text, inputs, NIN, NULL);
    demand(st == DAL_OK || dal_ctx_message(ctx)[0] != '\0', "a failure without a message");
    demand(number != DAL_OK || (st == DAL_OK && dal_expression_is_constant(e) && same(x, dal_expression_at(e, NULL))),
           "a number that is none with inputs");
    if (st == DAL_OK) {
        evaluate(e);
    }
    (void)dal_expression_name(text);
    dal_expression_destroy(e, ctx);
    dal_ctx_destroy(ctx);
    free(text);
    demand(live == 0, "memory is lost");
    return 0;
}
