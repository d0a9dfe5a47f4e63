/* Models as units, and simulations of the library that they are compared with. */
#ifndef UNITS_H
#define UNITS_H

#include "dalembert/dalembert.h"
#include "importer.h"

/* A robot arm whose joints follow targets, which are inputs; a link with a sampled controller, events and forces that are switched; a ball that
 * bounces by the compliant law. */
extern const fmu_source arm_unit, switched_unit, thrown_unit;

typedef struct own {
    dal_ctx *ctx;
    dal_document *doc;
    dal_model *model;
    dal_channels *channels;
    dal_sim *sim;
    int ny;
    double y[400];
    double *rows;
    int nrows;
} own;

void own_start(own *o, const fmu_source *from, const char *const *set, int nset);
const double *own_outputs(own *o);
void own_end(own *o);

/* FMI 3: they fail the test if that does not work. */
fmi3Instance start3(const importer *i, int early_return);
void initialize3(const importer *i, fmi3Instance u);
double get3(const importer *i, fmi3Instance u, unsigned reference);
void set3(const importer *i, fmi3Instance u, unsigned reference, double value);
double step3(const importer *i, fmi3Instance u, double t, double h);

#endif
