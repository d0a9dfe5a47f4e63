/* Programs as machine code: the compiler of the system makes a shared object, which is kept in a cache and loaded.
 *
 * The cache is $XDG_CACHE_HOME/dalembert, or ~/.cache/dalembert: a folder of the user that nobody else can write to (cache.c).
 * A file in it is named after a hash of the text, the compiler, its options and the processor. It comes there by renaming, so
 * that it is whole or not there; who compiles holds a lock, so that others wait instead of doing the same. */
#define _GNU_SOURCE

#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/compile.h"
#include "sweep/sweep_impl.h"

#define BLANKS " \t\r\n"
enum { PATH = 4096, WORDS = 64, OWN_WORDS = 4, TOLD = 700, DAY = 86400 };

typedef struct compiler {
    dal_ctx *ctx;
    int cuda, portable;                /* for any processor of this kind */
    const char *instead;               /* what does without a compiler, for messages */
    dal_compile_begin begin;           /* NULL, or who hears that it begins */
    const char *from;                  /* where it was named, for messages */
    char text[PATH];                   /* the words of its name, cut at blanks */
    char options[PATH];                /* those of DAL_CFLAGS or DAL_NVCCFLAGS */
    char *word[WORDS + OWN_WORDS + 1]; /* with the options, the files, then NULL */
    int nwords;
    int too_many;      /* words */
    char path[PATH];   /* the program */
    char folder[PATH]; /* the cache */
    int fd;            /* its descriptor; -1: it is not open */
    double limit;      /* of its size */
    char stem[PATH + 64];
} compiler;

/* ---- which compiler --------------------------------------------------------------------------- */

static void add_word(compiler *c, const char *word)
{
    if (c->nwords < WORDS) {
        c->word[c->nwords++] = (char *)word;
        c->word[c->nwords] = NULL;
    } else {
        c->too_many = 1;
    }
}

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[strspn(value, BLANKS)] != '\0' ? value : NULL;
}

static int is_program(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Find the program that a command is, as a shell would. */
static int find_program(char *path, const char *name)
{
    if (strchr(name, '/') != NULL) {
        snprintf(path, PATH, "%s", name);
        return is_program(path);
    }
    const char *folders = getenv("PATH");
    for (const char *at = folders != NULL ? folders : "/usr/bin:/bin"; *at != '\0';) {
        const size_t n = strcspn(at, ":");
        snprintf(path, PATH, "%.*s/%s", (int)(n < 3000 ? n : 3000), at, name);
        if (n > 0 && is_program(path)) {
            return 1;
        }
        at += n + (at[n] == ':');
    }
    return 0;
}

/* The words of a text, which is kept in `to`. */
static void add_words(compiler *c, char *to, const char *text)
{
    c->too_many |= snprintf(to, PATH, "%s", text) >= PATH;
    for (char *word, *rest = to; (word = strtok_r(rest, BLANKS, &rest)) != NULL;) {
        add_word(c, word);
    }
}

static void take_name(compiler *c)
{
    const char *cc = setting("DAL_CC"), *general = setting("CC"), *nvcc = setting("DAL_NVCC");
    const char *name = c->cuda ? nvcc : cc != NULL ? cc : general;
    c->from = c->cuda ? "DAL_NVCC" : cc != NULL || general == NULL ? "DAL_CC" : "CC";
    name = name != NULL ? name : !c->cuda ? "cc" : find_program(c->path, "nvcc") ? "nvcc" : "/usr/local/cuda/bin/nvcc";
    add_words(c, c->text, name);
}

static dal_status choose(compiler *c)
{
    static const char *const host[] = {
        "-std=c17",
        "-O2",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-fPIC",
        "-shared",
        "-w",
        "-fno-trapping-math",
#if defined(__i386__) // what is loaded has as many bits as what loads it
        "-m32",
        "-msse2",
        "-mfpmath=sse",
#endif
        "-march=native" // the last one: portable programs leave it out
    };
    // no fused operations: the device then gives the bits of the host
    static const char *const device[] = {
        "-O3", "-arch=native", "-fmad=false", "--default-stream=per-thread", "-Xcompiler=-fPIC", "-shared", "-w"};
    take_name(c);
    const char *const *option = c->cuda ? device : host, *more = setting(c->cuda ? "DAL_NVCCFLAGS" : "DAL_CFLAGS");
    const size_t n = c->cuda ? sizeof device / sizeof device[0] : sizeof host / sizeof host[0] - (c->portable != 0);
    for (size_t k = 0; k < n; ++k) {
        add_word(c, option[k]);
    }
    if (more != NULL) {
        add_words(c, c->options, more);
    }
    if (c->too_many) {
        return dal_fail(c->ctx, DAL_EOPTION, "%s and %s are more than %d words or %d characters: name a script instead",
                        c->from, c->cuda ? "DAL_NVCCFLAGS" : "DAL_CFLAGS", WORDS, PATH - 1);
    }
    if (!find_program(c->path, c->word[0])) {
        return dal_fail(c->ctx, DAL_EOPTION, "there is no compiler '%s' (%s can name another one)%s; %s needs none",
                        c->word[0], c->from,
                        c->cuda ? ", and backend cuda needs the CUDA toolkit" : "; on Debian: apt-get install gcc",
                        c->instead);
    }
    return DAL_OK;
}

/* ---- the cache -------------------------------------------------------------------------------- */

static dal_status no_cache(const compiler *c, const char *why)
{
    return dal_fail(c->ctx, DAL_EIO,
                    "compiled programs are kept in '%s', and %s: set XDG_CACHE_HOME to a folder of yours, or take %s",
                    c->folder, why, c->instead);
}

/* A folder and those above it, where they are missing. */
static void make_folders(char *path)
{
    for (char *p = strchr(path + 1, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        (void)mkdir(path, 0700);
        *p = '/';
    }
    (void)mkdir(path, 0700);
}

static dal_status open_cache(compiler *c)
{
    const char *xdg = setting("XDG_CACHE_HOME"), *home = setting("HOME");
    char bad[SWEEP_CACHE_PATH], why[SWEEP_CACHE_PATH];
    struct stat s;
    if ((xdg == NULL || xdg[0] != '/') && home == NULL) {
        snprintf(c->folder, sizeof c->folder, "~/.cache/dalembert");
        return no_cache(c, "there is no home");
    }
    const int own = xdg != NULL && xdg[0] == '/';
    snprintf(c->folder, sizeof c->folder, own ? "%.3900s" : "%.3900s/.cache", own ? xdg : home);
    make_folders(c->folder);
    strncat(c->folder, "/dalembert", sizeof c->folder - strlen(c->folder) - 1);
    if (mkdir(c->folder, 0700) != 0 && errno != EEXIST) {
        return no_cache(c, strerror(errno));
    }
    if (lstat(c->folder, &s) != 0 || !S_ISDIR(s.st_mode)) {
        return no_cache(c, "that is no folder");
    }
    c->fd = dal_sweep_cache_open(c->folder, bad);
    if (c->fd < 0) {
        snprintf(why, sizeof why, "others can write there: '%.2000s' is open to them or belongs to another user", bad);
    }
    return c->fd >= 0 ? DAL_OK : no_cache(c, why);
}

/* Options for this processor: what it is. A home may be shared by machines that differ. */
static uint64_t hash_processor(uint64_t h)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char *line = NULL;
    size_t room = 0;
    while (in != NULL && getline(&line, &room, in) > 1) { // the first one, up to the empty line
        if (strncmp(line, "model name", 10) == 0 || strncmp(line, "flags", 5) == 0 ||
            strncmp(line, "Features", 8) == 0) {
            h = dal_sweep_hash(h, line, strlen(line));
        }
    }
    free(line);
    if (in != NULL) {
        fclose(in);
    }
    return h;
}

static void name_object(compiler *c, const char *text)
{
    uint64_t h[2] = {SWEEP_HASH, SWEEP_HASH ^ 0x5bd1e995u};
    struct stat s;
    const int there = stat(c->path, &s) == 0;
    const int64_t made[2] = {there ? (int64_t)s.st_size : 0, there ? (int64_t)s.st_mtime : 0};
    for (int i = 0; i < 2; ++i) {
        h[i] = dal_sweep_hash(h[i], text, strlen(text) + 1);
        h[i] = dal_sweep_hash(h[i], c->path, strlen(c->path) + 1);
        h[i] = dal_sweep_hash(h[i], made, sizeof made);
        for (int k = 0; k < c->nwords; ++k) {
            h[i] = dal_sweep_hash(h[i], c->word[k], strlen(c->word[k]) + 1);
        }
        h[i] = hash_processor(h[i]);
    }
    snprintf(c->stem, sizeof c->stem, "%s/%016llx%016llx", c->folder, (unsigned long long)h[0],
             (unsigned long long)h[1]);
}

/* ---- compiling -------------------------------------------------------------------------------- */

static dal_status write_source(const compiler *c, const char *path, const char *text)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        return no_cache(c, strerror(errno));
    }
    const int bad = fputs(text, out) < 0;
    return (fclose(out) != 0) | bad ? no_cache(c, "the disk may be full") : DAL_OK;
}

/* What the compiler said, in one line. */
static void read_told(const char *path, char told[TOLD])
{
    FILE *in = fopen(path, "r");
    const size_t n = in != NULL ? fread(told, 1, TOLD - 1, in) : 0;
    told[n] = '\0';
    for (char *p = told; *p != '\0'; ++p) {
        *p = *p == '\n' ? ' ' : *p;
    }
    if (in != NULL) {
        fclose(in);
    }
}

/* The command, with what it says in the file `told`. 0: well done; otherwise why not, for the message. */
static int run_command(compiler *c, const char *told, char why[80])
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, told, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    const int failed = posix_spawn(&pid, c->path, &actions, NULL, c->word, environ);
    posix_spawn_file_actions_destroy(&actions);
    while (failed == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (failed != 0) {
        snprintf(why, 80, "it cannot be started: %.50s", strerror(failed));
    } else if (WIFSIGNALED(status)) {
        snprintf(why, 80, "ended by signal %d", WTERMSIG(status));
    } else {
        snprintf(why, 80, "exit status %d", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return failed != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

/* Load a descriptor, which then belongs to the program. */
static int take(sweep_code *code, int fd)
{
    code->library = dal_sweep_cache_load(fd);
    if (code->library == NULL) {
        close(fd);
        return 0;
    }
    code->file = fd;
    return 1;
}

/* A compiler that is content must have made something that can be loaded. */
static dal_status load_made(const compiler *c, const char *made, sweep_code *code)
{
    const char *options = c->cuda ? "DAL_NVCCFLAGS" : "DAL_CFLAGS";
    const int fd = open(made, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return dal_fail(c->ctx, DAL_EOPTION,
                        "the compiler '%s' reports success but made no file: see %s and %s, or take %s", c->path,
                        c->from, options, c->instead);
    }
    if (!dal_sweep_cache_seal(fd)) {
        close(fd);
        return no_cache(c, "the disk may be full");
    }
    return take(code, fd) ? DAL_OK
                          : dal_fail(c->ctx, DAL_EOPTION,
                                     "what the compiler '%s' made cannot be loaded (see %s and %s, or take %s): %s",
                                     c->path, c->from, options, c->instead, dlerror());
}

/* Files NAME.PID.* that a process left when it was killed, a day ago or more. */
static void remove_stale(const compiler *c)
{
    DIR *folder = opendir(c->folder);
    const time_t before = time(NULL) - DAY;
    for (const struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        const char *id = strchr(e->d_name, '.');
        struct stat s;
        if (id == e->d_name + 32 && isdigit((unsigned char)id[1]) &&
            fstatat(dirfd(folder), e->d_name, &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode) &&
            s.st_mtime < before) {
            (void)unlinkat(dirfd(folder), e->d_name, 0);
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
}

static void add_file(compiler *c, const char *word)
{
    c->word[c->nwords++] = (char *)word;
    c->word[c->nwords] = NULL;
}

static dal_status translate(compiler *c, const char *source, const char *made, const char *told, sweep_code *code)
{
    char message[TOLD], why[80];
    const int nwords = c->nwords;
    add_file(c, "-o"); // OWN_WORDS of them
    add_file(c, made);
    add_file(c, source);
    add_file(c, "-lm");
    const int bad = run_command(c, told, why);
    c->nwords = nwords;
    c->word[nwords] = NULL;
    if (!bad) {
        return load_made(c, made, code);
    }
    read_told(told, message);
    return dal_fail(c->ctx, DAL_EOPTION,
                    "the compiler '%s' cannot translate the program of the model (%s can name "
                    "another one; %s needs none): %s%s%s",
                    c->path, c->from, c->instead, why, message[0] != '\0' ? ": " : "", message);
}

static dal_status compile(compiler *c, const char *text, const char *object, sweep_code *code)
{
    char source[PATH + 128], made[PATH + 128], told[PATH + 128];
    const long id = (long)getpid();
    snprintf(source, sizeof source, "%s.%ld.%s", c->stem, id, c->cuda ? "cu" : "c");
    snprintf(made, sizeof made, "%s.%ld.so", c->stem, id);
    snprintf(told, sizeof told, "%s.%ld.log", c->stem, id);
    remove_stale(c);
    (void)remove(source); // of a process of that number, long ago
    (void)remove(made);
    if (c->begin != NULL) {
        c->begin(c->path, strlen(text));
    }
    dal_status st = write_source(c, source, text);
    st = st == DAL_OK ? translate(c, source, made, told, code) : st;
    if (st == DAL_OK && (rename(made, object) != 0 || fsync(c->fd) != 0)) {
        st = no_cache(c, strerror(errno)); // dal_sweep_code_release lets go of what was loaded
    }
    (void)remove(source);
    (void)remove(made);
    (void)remove(told);
    return st;
}

/* ---- loading ---------------------------------------------------------------------------------- */

/* A program of the cache, if it is there; code->library stays NULL if it is damaged. */
static dal_status load(const compiler *c, const char *object, sweep_code *code)
{
    int foreign;
    const int fd = dal_sweep_cache_find(c->fd, &foreign, strrchr(object, '/') + 1);
    if (foreign) {
        return no_cache(c, "a file in it is not yours alone");
    }
    if (fd >= 0) {
        (void)take(code, fd);
    }
    return DAL_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static dal_status compile_once(compiler *c, const char *text, const char *object, sweep_code *code)
{
    char lock[PATH + 128];
    snprintf(lock, sizeof lock, "%s/lock", c->folder);
    const int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        return no_cache(c, strerror(errno));
    }
    // without locks, on some network disks, two may compile the same; the last one's file stays
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    const double start = now();
    dal_status st = load(c, object, code); // another process may have made it, or a damaged one is made anew
    if (st == DAL_OK && code->library == NULL) {
        st = compile(c, text, object, code);
        dal_sweep_cache_trim(c->folder, object, c->limit);
    }
    code->seconds = now() - start;
    close(fd);
    return st;
}

static dal_status make(sweep_code *code, dal_ctx *ctx, const char *text, const compiler *like)
{
    char object[PATH + 128];
    compiler *c = dal_alloc_zero(ctx, sizeof *c);
    code->seconds = 0.0;
    if (c == NULL) {
        return dal_sweep_no_memory(ctx);
    }
    c->ctx = ctx;
    c->cuda = like->cuda;
    c->portable = like->portable;
    c->instead = like->instead;
    c->begin = like->begin;
    c->fd = -1;
    dal_status st = choose(c);
    st = st == DAL_OK ? dal_sweep_cache_limit(ctx, &c->limit) : st;
    st = st == DAL_OK ? open_cache(c) : st;
    if (st == DAL_OK) {
        name_object(c, text);
        snprintf(object, sizeof object, "%s.so", c->stem);
        st = load(c, object, code);
        st = st == DAL_OK && code->library == NULL ? compile_once(c, text, object, code) : st;
        close(c->fd);
    }
    dal_free(ctx, c);
    return st;
}

dal_status dal_sweep_compile(sweep_code *code, dal_ctx *ctx, const char *text, int cuda, const char *instead)
{
    return make(code, ctx, text, &(compiler){.cuda = cuda, .instead = instead});
}

dal_status dal_compile_portable(char **bytes, size_t *n, dal_ctx *ctx, const char *text, const char *instead,
                                dal_compile_begin begin)
{
    sweep_code code = {0};
    DAL_TRY(make(&code, ctx, text, &(compiler){.portable = 1, .instead = instead, .begin = begin}));
    const int64_t size = dal_sweep_cache_size(code.file);
    *n = size > 0 ? (size_t)size : 0;
    *bytes = dal_alloc(ctx, *n + 1);
    dal_status st = *bytes != NULL ? DAL_OK : dal_sweep_no_memory(ctx);
    if (st == DAL_OK && (size <= 0 || pread(code.file, *bytes, *n, 0) != (ssize_t)*n)) {
        dal_free(ctx, *bytes);
        *bytes = NULL;
        st = dal_fail(ctx, DAL_EIO, "what the compiler made cannot be read");
    }
    dal_sweep_code_release(&code);
    return st;
}

int dal_sweep_lanes(void)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char *line = NULL;
    size_t room = 0;
    int wide = 0;
    while (in != NULL && !wide && getline(&line, &room, in) > 1) {
        wide = strncmp(line, "flags", 5) == 0 && strstr(line, " avx512f ") != NULL;
    }
    free(line);
    if (in != NULL) {
        fclose(in);
    }
    return wide ? 8 : 4;
}
