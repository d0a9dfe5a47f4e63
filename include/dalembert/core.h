/* dalembert/core.h - what libdalembert-core has: systems, models made in C, simulations. It needs libc and libm only; model and
 * result files, analyses, sweeps and generated programs are in the whole library (dalembert/dalembert.h). */
#ifndef DALEMBERT_CORE_H
#define DALEMBERT_CORE_H

#include "dalembert/assemble.h"
#include "dalembert/base.h"
#include "dalembert/beam.h"
#include "dalembert/contacts.h"
#include "dalembert/elements.h"
#include "dalembert/events.h"
#include "dalembert/fem.h"
#include "dalembert/flex.h"
#include "dalembert/flexible.h"
#include "dalembert/integrate.h"
#include "dalembert/lie.h"
#include "dalembert/linearize.h"
#include "dalembert/linsol.h"
#include "dalembert/mbs.h"
#include "dalembert/reduce.h"
#include "dalembert/shape.h"
#include "dalembert/sim.h"
#include "dalembert/static.h"
#include "dalembert/system.h"

#endif
