/* Models that are part of the library; the build turns their files into arrays (tools/embed). */
#include "io/embedded.h"
#include "io/io_impl.h"

int dal_builtin_count(void)
{
    return dal_embedded_model_count;
}

dal_builtin dal_builtin_model(int k)
{
    return k >= 0 && k < dal_embedded_model_count ? dal_embedded_model[k] : (dal_builtin){0};
}
