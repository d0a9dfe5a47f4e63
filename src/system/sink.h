/* Sinks that want only some of the tangents start from one that ignores everything. */
#ifndef DAL_SYSTEM_SINK_H
#define DAL_SYSTEM_SINK_H

#include "dalembert/system.h"

dal_sink dal_sink_ignoring(unsigned wants);

#endif
