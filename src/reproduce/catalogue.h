/* The files claims/NAME.txt, which are part of the program: sections "[name]" of entries "key = value". A line "$name = text"
 * is a section of its own, a line that begins with a blank continues the one before, # begins a comment. */
#ifndef REPRODUCE_CATALOGUE_H
#define REPRODUCE_CATALOGUE_H

#include <stddef.h>

enum { SECTION_ENTRIES = 20 };

typedef struct section {
    const char *name;
    int n;
    struct {
        const char *key, *value;
    } entry[SECTION_ENTRIES];
} section;

/* Section number k, or NULL: there are no more. */
const section *catalogue_at(int k);
/* The value of a key of a section; NULL if it has none. */
const char *section_value(const section *s, const char *key);
/* The text under a name, "$crank" or "model cubic", of which `length` characters count; NULL: there is none. */
const char *catalogue_text(const char *name, size_t length);

/* Written from the files when the program is built. */
extern const unsigned char reproduce_claims[];
extern const size_t reproduce_claims_size;

#endif
