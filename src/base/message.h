/* Messages across calls. The message of a failure stays until the next call that fails, so what goes wrong inside a call
 * that succeeds in the end (a step tried again with a smaller size, say) must leave no trace. */
#ifndef DAL_BASE_MESSAGE_H
#define DAL_BASE_MESSAGE_H

#include "dalembert/base.h"

enum { DAL_MESSAGE_SIZE = 1024 };

/* What the context says before a call. */
typedef struct dal_message {
    dal_status status;
    unsigned long failures;
    char text[DAL_MESSAGE_SIZE];
} dal_message;

/* Keep the message, and put it back if the call has succeeded in spite of failures inside. Returns st. */
void dal_message_keep(dal_message *kept, const dal_ctx *ctx);
dal_status dal_message_settle(const dal_message *kept, dal_ctx *ctx, dal_status st) DAL_NODISCARD;

/* Before a callback of the user: afterwards dal_ctx_status tells whether the callback itself left a message. Returns
 * the status to put back by dal_message_heard if it did not fail; the text of an old message stays. */
dal_status dal_message_listen(dal_ctx *ctx);
void dal_message_heard(dal_ctx *ctx, dal_status before);

/* The length of a name, __func__, as programs write it: without the underscore of functions that are told sizes (dalembert/sizes.h). */
int dal_name_length(const char *function);

/* Arguments of public functions that must not be NULL: "dal_sim_start: q is NULL". ctx may itself be NULL. */
dal_status dal_null_argument(dal_ctx *ctx, const char *function, const char *argument);
/* The same for a list of n texts, all of which are needed: "dal_sweep_create: spec->collect[2] is NULL". */
dal_status dal_null_text(dal_ctx *ctx, const char *function, const char *list, const char *const *text, int n);
#define DAL_NEED_TEXTS(ctx, list, n) DAL_TRY(dal_null_text(ctx, __func__, #list, list, n))
#define DAL_NEED(ctx, pointer) DAL_NEED_AS(ctx, pointer, #pointer)
#define DAL_NEED_AS(ctx, pointer, name)                    \
    do {                                                   \
        if ((pointer) == NULL) {                           \
            return dal_null_argument(ctx, __func__, name); \
        }                                                  \
    } while (0)

/* Structs that programs fill may have been shorter, or may be longer, when a program was compiled (dalembert/sizes.h): what
 * was given, of size bytes, into the struct as the library has it, of own_size bytes. What the program does not know of stays as it
 * is there; what the library does not know of must be zero. given may be NULL. */
dal_status dal_own_copy(dal_ctx *ctx, void *own, size_t own_size, const void *given, size_t size,
                        const char *name) DAL_NODISCARD;
/* The way back, for structs that are read too. */
void dal_hand_out(void *to, size_t size, const void *own, size_t own_size);
/* An argument of this type and its `size` become a copy, filled up with zeros, which lasts as long as the function does. */
#define DAL_OWN(ctx, type, pointer)                                                 \
    type own_##pointer = {0};                                                       \
    DAL_TRY(dal_own_copy(ctx, &own_##pointer, sizeof(type), pointer, size, #type)); \
    pointer = pointer ? &own_##pointer : NULL

#endif
