/* Checkpoints: everything needed to go on with a run bit for bit. A few lines of text, then the snapshot of the
 * simulation. Written aside and renamed, so that an old checkpoint is never lost to a broken new one. */
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "cli/record.h"

/* CLI_OK, or an exit code after a message. */
int checkpoint_write(const char *path, const cli_model *m, const cli_args *args, const cli_monitor *monitor,
                     const dal_sim *sim);

/* An output that is an integral over time: its number among the values, and the sum so far. */
typedef struct cli_integral {
    int value;
    double sum;
} cli_integral;

typedef struct cli_checkpoint {
    char *bytes; /* the file */
    char *set[CLI_SETS];
    int nset;
    unsigned long long model; /* hash of the model's text */
    cli_monitor monitor;
    cli_integral *integral;
    int nintegrals;
    const void *snapshot;
    size_t size;
} cli_checkpoint;

int checkpoint_read(cli_checkpoint *c, const char *command, const char *path);
void checkpoint_release(cli_checkpoint *c);
/* Does it belong to this model? Then put the simulation into its state, and the integrals into the model's values. */
int checkpoint_restore(const cli_checkpoint *c, const char *command, const char *path, cli_model *m, dal_sim *sim);

#endif
