/* Numbers as text, the same in every locale: the decimal point is a point. */
#ifndef DAL_BASE_NUMBER_H
#define DAL_BASE_NUMBER_H

#include <stddef.h>

enum { DAL_NUMBER_SIZE = 32 }; /* room for any number that dal_number_format writes */

/* Read [+-]digits[.digits][e[+-]digits] from the whole of text[0..n). Returns 1, or 0 if the text is no such
 * number, is longer than 300 characters or its value is not finite; then *x is unchanged. */
int dal_number_parse(double *x, const char *text, size_t n);
/* Write the shortest of 15, 16, 17 digits that reads back exactly; "nan", "inf", "-inf" for the others. */
void dal_number_format(char text[DAL_NUMBER_SIZE], double x);

#endif
