/* Calls of files that systems have under other names. Include after the headers of the system. */
#ifndef DAL_BASE_PLATFORM_H
#define DAL_BASE_PLATFORM_H

#if defined(_WIN32)
#include <io.h>

/* Links, pipes that block and handles that children inherit are not looked at; files are bytes. A file is not replaced in one stroke there: its
 * old version goes first. */
#define O_NOFOLLOW O_BINARY
#define O_CLOEXEC O_BINARY
#define O_NONBLOCK O_BINARY
#define fsync _commit
#define rename(from, to) (remove(to), (rename)(from, to))
#define DAL_NO_POLL 1
#else
#include <poll.h>
#define DAL_NO_POLL 0
#endif

#endif
