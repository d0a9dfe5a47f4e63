#include "dalembert/base.h"

const char *dal_status_name(dal_status st)
{
    switch (st) {
#define STATUS_NAME(name, value, text) \
    case name:                         \
        return #name;
        DAL_STATUS_LIST(STATUS_NAME)
#undef STATUS_NAME
    }
    return "unknown status";
}

const char *dal_status_text(dal_status st)
{
    switch (st) {
#define STATUS_TEXT(name, value, text) \
    case name:                         \
        return text;
        DAL_STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}
