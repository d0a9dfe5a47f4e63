/* Files that are there as a whole or not at all. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "svg/svg.h"

enum { PATH = 4200 };

static int complain(char *message, size_t size, const char *path)
{
    snprintf(message, size, "cannot write '%.300s': %s", path, strerror(errno));
    return -1;
}

/* A new file beside the wanted one; what has its name is removed, not followed. */
static int open_part(char part[PATH], const char *path)
{
    struct stat info;
    if (snprintf(part, PATH, "%s.part", path) >= PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        return -1;
    }
    if (unlink(part) != 0 && errno != ENOENT) {
        return -1;
    }
    return open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int svg_writable(char *message, size_t size, const char *path)
{
    char part[PATH];
    const int fd = open_part(part, path);
    if (fd < 0) {
        return complain(message, size, path);
    }
    close(fd);
    unlink(part);
    return 0;
}

int svg_save(const svg_picture *p, char *message, size_t size, const char *path)
{
    char part[PATH];
    const int fd = open_part(part, path);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        complain(message, size, path);
        if (fd >= 0) {
            close(fd);
            unlink(part);
        }
        return -1;
    }
    errno = 0;
    svg_print(out, p);
    const int bad = fflush(out) != 0 || ferror(out) || fsync(fd) != 0;
    const int why = errno;
    if (fclose(out) != 0 || bad || rename(part, path) != 0) {
        errno = bad && why != 0 ? why : errno;
        complain(message, size, path);
        unlink(part);
        return -1;
    }
    return 0;
}
