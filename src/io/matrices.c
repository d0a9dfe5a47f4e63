/* Matrices in text files. The body of every kind is a table of numbers with equally many in each line: a Matrix Market file has lines
 * of row, column, value or of one value; a CSV file has lines of these three, counted from 1, or the rows of the matrix. */
#include "io/matrices.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "io/hdf5.h"

enum { COLUMNS_MAX = 100000, QUOTE = 40 };

typedef struct reader {
    dal_ctx *ctx;
    const char *path;
    const char *at, *end; /* what is left */
    long line;
} reader;

/* ---- lines and fields ------------------------------------------------------------------------- */

/* The same letters, large or small. */
static int is_word(const char *text, size_t n, const char *word)
{
    size_t k = 0;
    while (k < n && word[k] != '\0' && tolower((unsigned char)text[k]) == tolower((unsigned char)word[k])) {
        ++k;
    }
    return k == n && word[k] == '\0';
}

static int is_gap(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ';';
}

/* The next line that has something and is no comment: from *text to the end that is returned; NULL: there is none. */
static const char *next_line(reader *r, const char **text)
{
    while (r->at < r->end) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
        const char *line = r->at, *end = stop != NULL ? stop : r->end;
        r->at = end + (stop != NULL);
        ++r->line;
        while (line < end && is_gap(*line)) {
            ++line;
        }
        if (line < end && *line != '%' && *line != '#') {
            *text = line;
            return end;
        }
    }
    return NULL;
}

/* The next field of a line; 0: there is none. */
static size_t next_field(const char **text, const char *end, const char **field)
{
    while (*text < end && is_gap(**text)) {
        ++*text;
    }
    *field = *text;
    while (*text < end && !is_gap(**text)) {
        ++*text;
    }
    return (size_t)(*text - *field);
}

static dal_status not_a_number(const reader *r, const char *field, size_t n)
{
    return dal_fail(r->ctx, DAL_EINVAL, "%s: line %ld: '%.*s' is not a finite number", r->path, r->line,
                    (int)(n < QUOTE ? n : QUOTE), field);
}

static int count_fields(const char *text, const char *end, int *numbers)
{
    const char *field;
    double x;
    int n = 0;
    *numbers = 1;
    for (size_t size; (size = next_field(&text, end, &field)) > 0 && n <= COLUMNS_MAX; ++n) {
        *numbers = *numbers && dal_number_parse(&x, field, size);
    }
    return n;
}

static dal_status read_row(const reader *r, double *x, int n, const char *text, const char *end)
{
    const char *field;
    int k = 0;
    for (size_t size; (size = next_field(&text, end, &field)) > 0; ++k) {
        if (k == n) {
            return dal_fail(r->ctx, DAL_EINVAL, "%s: line %ld has more than %d numbers", r->path, r->line, n);
        }
        if (!dal_number_parse(&x[k], field, size)) {
            return not_a_number(r, field, size);
        }
    }
    return k == n ? DAL_OK
                  : dal_fail(r->ctx, DAL_EINVAL, "%s: line %ld has %d numbers, not %d", r->path, r->line, k, n);
}

/* All lines from here on. names: the first one may have names instead of numbers. */
static dal_status read_table(reader *r, io_table *t, dal_pool *pool, int names)
{
    const char *text = NULL, *end = next_line(r, &text);
    size_t most = 1;
    int numbers = 1;
    *t = (io_table){.rows = 0};
    t->cols = end != NULL ? count_fields(text, end, &numbers) : 0;
    if (end != NULL && names && !numbers) {
        end = next_line(r, &text);
        t->cols = end != NULL ? count_fields(text, end, &numbers) : 0;
    }
    if (end == NULL || t->cols > COLUMNS_MAX) {
        return dal_fail(r->ctx, DAL_EINVAL,
                        end == NULL ? "%s: there are no numbers" : "%s: a line has too many numbers", r->path);
    }
    for (const char *c = r->at; c < r->end; ++c) {
        most += *c == '\n' || c + 1 == r->end;
    }
    DAL_TAKE(pool, t->x, most * (size_t)t->cols);
    for (; end != NULL; end = next_line(r, &text)) {
        DAL_TRY(read_row(r, t->x + (size_t)t->rows * (size_t)t->cols, t->cols, text, end));
        if (++t->rows == INT_MAX / 2) {
            return dal_fail(r->ctx, DAL_EINVAL, "%s: there are too many lines", r->path);
        }
    }
    return DAL_OK;
}

/* ---- entries ---------------------------------------------------------------------------------- */

static dal_status take_entries(io_matrix *m, dal_pool *pool, size_t n)
{
    if (n > INT_MAX) {
        return dal_fail(pool->ctx, DAL_EINVAL, "a matrix of %zu entries is too large", n);
    }
    DAL_TAKE(pool, m->row, n + 1);
    DAL_TAKE(pool, m->col, n + 1);
    DAL_TAKE(pool, m->x, n + 1);
    m->n = (int)n;
    return DAL_OK;
}

dal_status dal_io_table_entries(io_matrix *m, dal_pool *pool, const io_table *t)
{
    *m = (io_matrix){.rows = t->rows, .cols = t->cols};
    DAL_TRY(take_entries(m, pool, (size_t)t->rows * (size_t)t->cols));
    for (int k = 0; k < m->n; ++k) {
        m->row[k] = k / t->cols;
        m->col[k] = k % t->cols;
        m->x[k] = t->x[k];
    }
    return DAL_OK;
}

/* A number that counts from 1 to at most `most`. */
static int index_of(int *index, double x, int most)
{
    const int good = x >= 1.0 && x <= most && x == (double)(int)x;
    *index = good ? (int)x - 1 : 0;
    return good;
}

/* Lines of row, column, value. rows 0: as many as the largest index. */
static dal_status from_triples(const reader *r, io_matrix *m, dal_pool *pool, const io_table *t)
{
    const int rows = m->rows > 0 ? m->rows : INT_MAX - 1, cols = m->cols > 0 ? m->cols : INT_MAX - 1;
    DAL_TRY(take_entries(m, pool, (size_t)t->rows));
    for (int k = 0; k < t->rows; ++k) {
        const double *x = t->x + 3 * (size_t)k;
        if (!index_of(&m->row[k], x[0], rows) || !index_of(&m->col[k], x[1], cols)) {
            return dal_fail(r->ctx, DAL_EINVAL,
                            "%s: entry %d is at (%g, %g), which is not a row and a column counted from 1%s", r->path,
                            k + 1, x[0], x[1], m->rows > 0 ? " within the size of the matrix" : "");
        }
        m->x[k] = x[2];
        m->rows = rows == INT_MAX - 1 && m->row[k] >= m->rows ? m->row[k] + 1 : m->rows;
        m->cols = cols == INT_MAX - 1 && m->col[k] >= m->cols ? m->col[k] + 1 : m->cols;
    }
    return DAL_OK;
}

/* ---- Matrix Market ---------------------------------------------------------------------------- */

typedef struct market {
    int coordinate, symmetric;
} market;

/* "%%MatrixMarket matrix coordinate real symmetric" */
static dal_status read_banner(const reader *r, market *kind, const char *text, const char *end)
{
    static const char *const expected[5][4] = {{"%%MatrixMarket"},
                                               {"matrix"},
                                               {"coordinate", "array"},
                                               {"real", "integer", "double"},
                                               {"symmetric", "general"}};
    int choice[5] = {0};
    for (int k = 0; k < 5; ++k) {
        const char *field;
        const size_t n = next_field(&text, end, &field);
        int c = 0;
        while (c < 4 && expected[k][c] != NULL && !is_word(field, n, expected[k][c])) {
            ++c;
        }
        if (c == 4 || expected[k][c] == NULL) {
            return dal_fail(
                r->ctx, DAL_EINVAL,
                "%s: '%.*s' in the first line: only 'matrix', 'coordinate' or 'array', 'real' or 'integer', "
                "'symmetric' or 'general' can be read",
                r->path, (int)(n < QUOTE ? n : QUOTE), field);
        }
        choice[k] = c;
    }
    *kind = (market){choice[2] == 0, choice[4] == 0};
    return DAL_OK;
}

/* Numbers one after the other, by columns; of a symmetric matrix those below the diagonal and on it. */
static dal_status from_array(const reader *r, io_matrix *m, dal_pool *pool, const io_table *t, int symmetric)
{
    const double wanted = symmetric ? 0.5 * m->rows * (m->rows + 1.0) : (double)m->rows * m->cols;
    if (t->cols != 1 || t->rows != wanted || (symmetric && m->rows != m->cols)) {
        return dal_fail(r->ctx, DAL_EINVAL, "%s: %g numbers were announced, one in a line, and there are %g", r->path,
                        wanted, (double)t->rows * t->cols);
    }
    DAL_TRY(take_entries(m, pool, (size_t)t->rows));
    for (int k = 0, i = 0, j = 0; k < m->n; ++k) {
        m->row[k] = i;
        m->col[k] = j;
        m->x[k] = t->x[k];
        j += ++i == m->rows;
        i = i == m->rows ? (symmetric ? j : 0) : i;
    }
    return DAL_OK;
}

static dal_status read_market(reader *r, io_matrix *m, dal_pool *pool)
{
    const char *text = r->at, *stop = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char *end = stop != NULL ? stop : r->end;
    double size[3] = {0.0};
    market kind = {0};
    io_table t;
    r->at = end + (stop != NULL);
    r->line = 1;
    DAL_TRY(read_banner(r, &kind, text, end));
    end = next_line(r, &text);
    if (end == NULL) {
        return dal_fail(r->ctx, DAL_EINVAL, "%s: the line with the size of the matrix is missing", r->path);
    }
    DAL_TRY(read_row(r, size, kind.coordinate ? 3 : 2, text, end));
    if (!index_of(&m->rows, size[0], INT_MAX / 4) || !index_of(&m->cols, size[1], INT_MAX / 4)) {
        return dal_fail(r->ctx, DAL_EINVAL, "%s: line %ld: %g x %g is not the size of a matrix", r->path, r->line,
                        size[0], size[1]);
    }
    ++m->rows;
    ++m->cols;
    if (kind.coordinate && size[2] == 0.0) {
        return take_entries(m, pool, 0);
    }
    DAL_TRY(read_table(r, &t, pool, 0));
    if (!kind.coordinate) {
        return from_array(r, m, pool, &t, kind.symmetric);
    }
    if (t.cols != 3 || t.rows != size[2]) {
        return dal_fail(
            r->ctx, DAL_EINVAL,
            "%s: %g entries were announced, row, column and value each, and there are %d lines of %d numbers", r->path,
            size[2], t.rows, t.cols);
    }
    return from_triples(r, m, pool, &t);
}

/* ---- files ------------------------------------------------------------------------------------ */

static int is_market(const char *text, size_t n)
{
    return n >= 14 && is_word(text, 14, "%%MatrixMarket");
}

dal_status dal_io_matrix_parse(io_matrix *m, dal_pool *pool, const char *text, size_t n, const char *path)
{
    reader r = {.ctx = pool->ctx, .path = path, .at = text, .end = text + n};
    io_table t;
    *m = (io_matrix){.rows = 0};
    if (is_market(text, n)) {
        return read_market(&r, m, pool);
    }
    DAL_TRY(read_table(&r, &t, pool, 1));
    return t.cols == 3 ? from_triples(&r, m, pool, &t) : dal_io_table_entries(m, pool, &t);
}

static dal_status parse_table(io_table *t, dal_pool *pool, const char *text, size_t n, const char *path)
{
    reader r = {.ctx = pool->ctx, .path = path, .at = text, .end = text + n};
    if (!is_market(text, n)) {
        return read_table(&r, t, pool, 1);
    }
    io_matrix m = {.rows = 0};
    DAL_TRY(read_market(&r, &m, pool));
    if ((double)m.rows * m.cols > INT_MAX) {
        return dal_fail(pool->ctx, DAL_EINVAL, "%s: a table of %d x %d numbers is too large", path, m.rows, m.cols);
    }
    *t = (io_table){.rows = m.rows, .cols = m.cols};
    DAL_TAKE(pool, t->x, (size_t)m.rows * (size_t)m.cols);
    for (int k = 0; k < m.n; ++k) {
        t->x[(size_t)m.row[k] * (size_t)m.cols + (size_t)m.col[k]] += m.x[k];
    }
    return DAL_OK;
}

dal_status dal_io_matrix_read(io_matrix *m, dal_pool *pool, const char *path, const char *name)
{
    char *text = NULL;
    size_t n;
    if (dal_h5_is_file(path)) {
        return dal_io_matrix_hdf5(m, pool, path, name);
    }
    dal_status st = dal_file_read(pool->ctx, &text, &n, path, INT_MAX, "a matrix");
    st = st == DAL_OK ? dal_io_matrix_parse(m, pool, text, n, path) : st;
    dal_free(pool->ctx, text);
    return st;
}

dal_status dal_io_table_read(io_table *t, dal_pool *pool, const char *path, const char *name)
{
    char *text = NULL;
    size_t n;
    if (dal_h5_is_file(path)) {
        return dal_io_table_hdf5(t, pool, path, name);
    }
    dal_status st = dal_file_read(pool->ctx, &text, &n, path, INT_MAX, "a table");
    st = st == DAL_OK ? parse_table(t, pool, text, n, path) : st;
    dal_free(pool->ctx, text);
    return st;
}
