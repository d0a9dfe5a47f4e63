#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "dalembert/base.h"

enum { LONGEST = 63 }; // of longer words only the beginning counts

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static int length(const char *text)
{
    int n = 0;
    while (n < LONGEST && text[n] != '\0') {
        ++n;
    }
    return n;
}

static int min3(int a, int b, int c)
{
    const int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Insertions, deletions, substitutions and swaps of neighbours that turn a into b; case does not count.
 * d[i % 3][j] is the distance between the first i letters of a and the first j of b. */
static int edit_distance(const char *a, int na, const char *b, int nb)
{
    int d[3][LONGEST + 1];
    for (int j = 0; j <= nb; ++j) {
        d[0][j] = j;
    }
    for (int i = 1; i <= na; ++i) {
        int *row = d[i % 3], *above = d[(i + 2) % 3], *above2 = d[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= nb; ++j) {
            const char x = lower(a[i - 1]), y = lower(b[j - 1]);
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && y == lower(a[i - 2]) && above2[j - 2] + 1 < row[j]) {
                row[j] = above2[j - 2] + 1;
            }
        }
    }
    return d[na % 3][nb];
}

/* A word counts as near if a third of the letters or fewer are wrong, or if the text is its beginning. */
const char *dal_nearest(const char *text, const char *const *word, int n)
{
    const char *best = NULL;
    if (text == NULL || word == NULL) {
        return NULL;
    }
    const int nt = length(text);
    int least = nt / 3 > 1 ? nt / 3 : 1;
    for (int k = 0; k < n; ++k) {
        const int nw = length(word[k]);
        int distance = edit_distance(text, nt, word[k], nw);
        if (nt >= 2 && nt < nw && strncmp(text, word[k], (size_t)nt) == 0) {
            distance = 1;
        }
        const int longer = nt > nw ? nt : nw;
        if (distance < longer && (distance < least || (distance == least && best == NULL))) {
            best = word[k];
            least = distance;
        }
    }
    return best;
}

const char *dal_hint(char hint[DAL_HINT_SIZE], const char *near)
{
    if (hint != NULL) {
        hint[0] = '\0';
    }
    if (hint != NULL && near != NULL) {
        snprintf(hint, DAL_HINT_SIZE, " (did you mean '%.*s'?)", DAL_HINT_SIZE - 20, near);
    }
    return hint;
}
