/* dalembert/dalembert.h - all of the library. */
#ifndef DALEMBERT_DALEMBERT_H
#define DALEMBERT_DALEMBERT_H

#include "dalembert/analysis.h"
#include "dalembert/assemble.h"
#include "dalembert/base.h"
#include "dalembert/beam.h"
#include "dalembert/driven.h"
#include "dalembert/elements.h"
#include "dalembert/flex.h"
#include "dalembert/generate.h"
#include "dalembert/import.h"
#include "dalembert/integrate.h"
#include "dalembert/io.h"
#include "dalembert/lie.h"
#include "dalembert/linear.h"
#include "dalembert/linearize.h"
#include "dalembert/linsol.h"
#include "dalembert/mbs.h"
#include "dalembert/modes.h"
#include "dalembert/page.h"
#include "dalembert/record.h"
#include "dalembert/reduce.h"
#include "dalembert/results.h"
#include "dalembert/shape.h"
#include "dalembert/sim.h"
#include "dalembert/static.h"
#include "dalembert/sweep.h"
#include "dalembert/system.h"

#endif
