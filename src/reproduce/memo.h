/* Numbers that several claims need, shared by the worker processes: computed once. */
#ifndef REPRODUCE_MEMO_H
#define REPRODUCE_MEMO_H

enum { MEMO_KEY = 400, MEMO_VALUES = 112 };

void memo_open(void); /* before the processes start; without it nothing is kept */
/* n <= MEMO_VALUES numbers under a key; 0: they are not known, or others are under it */
int memo_find(double *value, int n, const char *key);
void memo_keep(const double *value, int n, const char *key);

#endif
