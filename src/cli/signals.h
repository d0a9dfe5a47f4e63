/* Ctrl-C and friends: the first one asks the run to stop after the current step; another one, more than a second later,
 * ends the program. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

void signals_watch(void);
int signals_seen(void); /* number of the signal, 0 if there was none */

#endif
