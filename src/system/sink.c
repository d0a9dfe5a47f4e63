#include "system/sink.h"

static void ignore_pair(dal_sink *sink, int pair, const double *M, const double *C, const double *K)
{
    (void)sink, (void)pair, (void)M, (void)C, (void)K;
}

static void ignore_link(dal_sink *sink, int link, const double *B, const double *Z)
{
    (void)sink, (void)link, (void)B, (void)Z;
}

static void ignore_force(dal_sink *sink, int link, const double *G)
{
    (void)sink, (void)link, (void)G;
}

static void ignore_couple(dal_sink *sink, int couple, const double *F)
{
    (void)sink, (void)couple, (void)F;
}

dal_sink dal_sink_ignoring(unsigned wants)
{
    return (dal_sink){wants, ignore_pair, ignore_link, ignore_link, ignore_force, ignore_link, ignore_couple};
}
