#include "dalembert/base.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

int dal_version(void)
{
    return DAL_VERSION;
}

const char *dal_version_string(void)
{
    return TEXT(DAL_VERSION_MAJOR) "." TEXT(DAL_VERSION_MINOR) "." TEXT(DAL_VERSION_PATCH);
}
