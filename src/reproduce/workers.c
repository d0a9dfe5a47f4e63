#define _POSIX_C_SOURCE 200809L

#include "reproduce/workers.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS = 64 };

/* A task under way. */
typedef struct job {
    int k;
    pid_t pid;
    int pipe; /* its result comes from here */
} job;

static int write_all(int file, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = write(file, data, size);
        if (n <= 0) {
            return 0;
        }
        data += n;
        size -= (size_t)n;
    }
    return 1;
}

static int read_all(int file, char *data, size_t size)
{
    while (size > 0) {
        const ssize_t n = read(file, data, size);
        if (n <= 0) {
            return 0;
        }
        data += n;
        size -= (size_t)n;
    }
    return 1;
}

/* No further process can be started: do the work here. */
static void run_here(const workers *w, int k)
{
    char result[WORKER_RESULT] = {0};
    w->task(k, result, w->user);
    w->done(k, result, w->user);
}

static int start(const workers *w, job *j, int k)
{
    int ends[2];
    if (pipe(ends) != 0) {
        return 0;
    }
    fflush(NULL); // or the child would write it again
    const pid_t pid = fork();
    if (pid < 0) {
        close(ends[0]);
        close(ends[1]);
        return 0;
    }
    if (pid == 0) {
        char result[WORKER_RESULT] = {0};
        close(ends[0]);
        w->task(k, result, w->user);
        _exit(write_all(ends[1], result, w->size) ? 0 : 1);
    }
    close(ends[1]);
    *j = (job){k, pid, ends[0]};
    return 1;
}

/* The index of a job whose result can be read. */
static int wait_for(const job *running, int n)
{
    struct pollfd files[JOBS];
    for (int i = 0; i < n; ++i) {
        files[i] = (struct pollfd){.fd = running[i].pipe, .events = POLLIN};
    }
    while (poll(files, (nfds_t)n, -1) < 0) {
    }
    for (int i = 0; i < n; ++i) {
        if (files[i].revents != 0) {
            return i;
        }
    }
    return 0;
}

void workers_run(const workers *w)
{
    job running[JOBS];
    const int most = w->jobs < 1 ? 1 : w->jobs > JOBS ? JOBS : w->jobs;
    int next = 0, n = 0;
    while (next < w->n || n > 0) {
        while (next < w->n && n < most) {
            if (start(w, &running[n], next)) {
                n++;
            } else {
                run_here(w, next);
            }
            next++;
        }
        if (n == 0) {
            continue;
        }
        const int i = wait_for(running, n);
        char result[WORKER_RESULT];
        const int good = read_all(running[i].pipe, result, w->size);
        close(running[i].pipe);
        (void)waitpid(running[i].pid, NULL, 0);
        w->done(running[i].k, good ? result : NULL, w->user);
        running[i] = running[--n];
    }
}
