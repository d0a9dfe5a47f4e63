/* Results of runs that several claims need, shared by the worker processes: computed once. */
#ifndef REPRODUCE_MEMO_H
#define REPRODUCE_MEMO_H

enum { MEMO_VALUES = 4 };

void memo_open(void); /* before the processes start; without it nothing is kept */
int memo_find(double value[MEMO_VALUES], const char *key);
void memo_keep(const double value[MEMO_VALUES], const char *key);

#endif
