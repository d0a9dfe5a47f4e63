/* What tools/embed writes: the files of models/ in the order of their names, and the schema. */
#ifndef DAL_IO_EMBEDDED_H
#define DAL_IO_EMBEDDED_H

#include "dalembert/io.h"

extern const int dal_embedded_model_count;
extern const dal_builtin dal_embedded_model[];
extern const unsigned char dal_embedded_schema[];

#endif
