#include "importer.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char importer_message[1000];

void importer_log3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message)
{
    (void)environment, (void)status, (void)category;
    snprintf(importer_message, sizeof importer_message, "%s", message);
}

void importer_log2(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status, fmi2String category,
                   fmi2String message, ...)
{
    (void)environment, (void)name, (void)status, (void)category;
    va_list list;
    va_start(list, message);
    vsnprintf(importer_message, sizeof importer_message, message, list);
    va_end(list);
}

/* ---- the archive -------------------------------------------------------------------------------- */

static unsigned long word(const unsigned char *x, int bytes)
{
    unsigned long value = 0;
    for (int k = bytes - 1; k >= 0; --k) {
        value = 256 * value + x[k];
    }
    return value;
}

static unsigned char *read_all(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *n = (size_t)ftell(file);
    rewind(file);
    unsigned char *x = malloc(*n + 1);
    assert_non_null(x);
    assert_int_equal(fread(x, 1, *n, file), *n);
    x[*n] = '\0';
    fclose(file);
    return x;
}

static void write_file(const char *folder, const char *name, const unsigned char *x, size_t n)
{
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0777);
        *slash = '/';
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(x, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

/* Entries that are stored, one after the other. */
static void unpack(importer *i, const char *path, char *binary, size_t size)
{
    size_t n, at = 0;
    unsigned char *x = read_all(path, &n);
    while (word(x + at, 4) == 0x04034b50) {
        const unsigned long bytes = word(x + at + 18, 4), length = word(x + at + 26, 2);
        char name[200];
        assert_int_equal(word(x + at + 8, 2), 0);
        assert_true(length < sizeof name && at + 30 + length + bytes <= n);
        memcpy(name, x + at + 30, length);
        name[length] = '\0';
        write_file(i->folder, name, x + at + 30 + length, bytes);
        if (strncmp(name, "binaries/", 9) == 0) {
            snprintf(binary, size, "./%s/%s", i->folder, name);
        } else if (strcmp(name, "modelDescription.xml") == 0) {
            i->description = malloc(bytes + 1);
            assert_non_null(i->description);
            memcpy(i->description, x + at + 30 + length, bytes);
            i->description[bytes] = '\0';
        }
        at += 30 + length + bytes;
    }
    assert_int_equal(word(x + at, 4), 0x02014b50);
    free(x);
}

/* ---- the library -------------------------------------------------------------------------------- */

static void find(void *function, const importer *i, const char *name)
{
    void *const symbol = dlsym(i->library, name);
    assert_non_null(symbol);
    memcpy(function, &symbol, sizeof symbol);
}

void importer_open(importer *i, const fmu_source *from, int version, fmu_code code)
{
    static int count;
    char path[80], binary[300] = "";
    dal_ctx *ctx = check_ctx();
    memset(i, 0, sizeof *i);
    snprintf(i->folder, sizeof i->folder, "unit-%ld-%d", (long)getpid(), ++count);
    snprintf(path, sizeof path, "%s.fmu", i->folder);
    fmu_model m = {.ctx = ctx};
    fmu_made made;
    check_ok(ctx, fmu_model_load(&m, from));
    check_ok(ctx, fmu_write(&m, &made, path, from, version, code));
    assert_int_equal(made.code, code);
    fmu_model_release(&m);
    unpack(i, path, binary, sizeof binary);
    unlink(path);
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(i->resources, sizeof i->resources, "%s%s/%s/resources", version == 2 ? "file://" : "", here, i->folder);
    const char *token = strstr(i->description, version == 3 ? "instantiationToken=\"" : "guid=\"");
    assert_non_null(token);
    token = strchr(token, '"') + 1;
    snprintf(i->token, sizeof i->token, "%.*s", (int)strcspn(token, "\""), token);
    i->library = dlopen(binary, RTLD_NOW | RTLD_LOCAL);
    if (i->library == NULL) {
        fail_msg("%s", dlerror());
    }
#define FMI_FIND(name, arguments) find(&i->p_##name, i, #name);
#define FMI_FIND_OTHER(result, name, arguments) FMI_FIND(name, arguments)
#define FMI_FIND_NAME(name) find(&unused, i, #name);
    if (version == 3) {
        void *unused;
        STANDARD3_OTHERS(FMI_FIND_OTHER)
        STANDARD3_FUNCTIONS(FMI_FIND)
        STANDARD3_REFUSED(FMI_FIND)
        STANDARD3_REFUSED_NAMES(FMI_FIND_NAME)
    } else {
        STANDARD2_OTHERS(FMI_FIND_OTHER)
        STANDARD2_FUNCTIONS(FMI_FIND)
        STANDARD2_REFUSED(FMI_FIND)
    }
#undef FMI_FIND
#undef FMI_FIND_OTHER
#undef FMI_FIND_NAME
    check_ctx_free(ctx);
}

void importer_close(importer *i)
{
    char command[200];
    assert_int_equal(dlclose(i->library), 0);
    free(i->description);
    snprintf(command, sizeof command, "rm -rf '%s'", i->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

unsigned importer_find(const importer *i, const char *name)
{
    char text[200];
    snprintf(text, sizeof text, " name=\"%s\" valueReference=\"", name);
    const char *at = strstr(i->description, text);
    if (at == NULL) {
        fail_msg("the description has no variable '%s'", name);
    }
    return at != NULL ? (unsigned)strtoul(at + strlen(text), NULL, 10) : 0;
}
