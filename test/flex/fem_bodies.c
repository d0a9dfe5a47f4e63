#include "fem_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *old, size_t count, size_t size)
{
    void *x = realloc(old, (count + 1) * size);
    if (x == NULL) {
        abort();
    }
    return x;
}

void fem_mesh_release(fem_mesh *m)
{
    free(m->node);
    free(m->row);
    free(m->col);
    free(m->K);
    free(m->M);
    free(m->triangle);
}

dal_fem fem_mesh_describe(const fem_mesh *m)
{
    return (dal_fem){.nnodes = m->nnodes,
                     .ndofs = m->each * m->nnodes,
                     .node = m->node,
                     .M = {m->n, m->row, m->col, m->M},
                     .K = {m->n, m->row, m->col, m->K},
                     .ntriangles = m->ntriangles,
                     .triangle = m->triangle};
}

static void add_element(fem_mesh *m, const int *node, int nnodes, const double *K, const double *M)
{
    const int size = nnodes * m->each;
    if (m->n + size * size > m->capacity) {
        m->capacity = 2 * m->capacity + size * size;
        m->row = grow(m->row, (size_t)m->capacity, sizeof(int));
        m->col = grow(m->col, (size_t)m->capacity, sizeof(int));
        m->K = grow(m->K, (size_t)m->capacity, sizeof(double));
        m->M = grow(m->M, (size_t)m->capacity, sizeof(double));
    }
    for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
            if (K[i + size * j] != 0.0 || M[i + size * j] != 0.0) {
                m->row[m->n] = m->each * node[i / m->each] + i % m->each;
                m->col[m->n] = m->each * node[j / m->each] + j % m->each;
                m->K[m->n] = K[i + size * j];
                m->M[m->n++] = M[i + size * j];
            }
        }
    }
}

/* ---- bricks ----------------------------------------------------------------------------------- */

/* Strains xx, yy, zz, xy, yz, zx of a displacement along axis c with the slope g, added with D to a 6 x columns matrix. */
static void put_strain(double *B, int column, int c, const double g[3])
{
    double *b = B + 6 * column;
    static const int shear[3][3] = {{-1, 3, 5}, {3, -1, 4}, {5, 4, -1}};
    for (int k = 0; k < 3; ++k) {
        b[k == c ? c : shear[c][k]] = g[k];
    }
}

enum { ALL = 33 }; /* unknowns of a brick: 24 of nodes, nine of incompatible modes */

/* Strains (6 x ALL) and the eight shapes at a point. */
static void brick_at(double *B, double N[8], const double xi[3], const double l[3])
{
    for (int a = 0; a < 8; ++a) {
        const double s[3] = {a & 1 ? 1.0 : -1.0, a & 2 ? 1.0 : -1.0, a & 4 ? 1.0 : -1.0};
        double f[3], slope[3];
        for (int k = 0; k < 3; ++k) {
            f[k] = 0.5 * (1.0 + s[k] * xi[k]);
        }
        N[a] = f[0] * f[1] * f[2];
        for (int k = 0; k < 3; ++k) {
            slope[k] = N[a] / f[k] * s[k] / l[k];
        }
        for (int c = 0; c < 3; ++c) {
            put_strain(B, 3 * a + c, c, slope);
        }
    }
    for (int k = 0; k < 3; ++k) {
        double slope[3] = {0.0};
        slope[k] = -4.0 * xi[k] / l[k];
        for (int c = 0; c < 3; ++c) {
            put_strain(B, 24 + 3 * k + c, c, slope);
        }
    }
}

/* K of a brick with edges l: 24 + 9 unknowns, the last nine (u = 1 - xi^2 and so on) eliminated. M: 24. */
static void brick(double K[576], double M[576], const double l[3], const fem_material *p)
{
    static double A[ALL * ALL];
    const double lambda = p->E * p->nu / ((1.0 + p->nu) * (1.0 - 2.0 * p->nu)), mu = p->E / (2.0 * (1.0 + p->nu));
    const double volume = l[0] * l[1] * l[2], g = 1.0 / sqrt(3.0);
    memset(A, 0, sizeof A);
    memset(M, 0, 576 * sizeof *M);
    for (int q = 0; q < 8; ++q) {
        const double xi[3] = {q & 1 ? g : -g, q & 2 ? g : -g, q & 4 ? g : -g};
        double B[6 * ALL] = {0.0}, N[8];
        brick_at(B, N, xi, l);
        for (int j = 0; j < ALL; ++j) {
            const double *e = B + 6 * j, trace = lambda * (e[0] + e[1] + e[2]);
            const double stress[6] = {trace + 2.0 * mu * e[0],
                                      trace + 2.0 * mu * e[1],
                                      trace + 2.0 * mu * e[2],
                                      mu * e[3],
                                      mu * e[4],
                                      mu * e[5]};
            for (int i = 0; i < ALL; ++i) {
                for (int k = 0; k < 6; ++k) {
                    A[i + ALL * j] += volume / 8.0 * B[6 * i + k] * stress[k];
                }
            }
        }
        for (int i = 0; i < 24; ++i) {
            for (int j = i % 3; j < 24; j += 3) {
                M[i + 24 * j] += p->density * volume / 8.0 * N[i / 3] * N[j / 3];
            }
        }
    }
    for (int k = ALL - 1; k >= 24; --k) {
        for (int j = 0; j < k; ++j) {
            for (int i = 0; i < k; ++i) {
                A[i + ALL * j] -= A[i + ALL * k] * A[k + ALL * j] / A[k + ALL * k];
            }
        }
    }
    for (int j = 0; j < 24; ++j) {
        memcpy(K + 24 * j, A + ALL * j, 24 * sizeof(double));
    }
}

int fem_box_node(const int n[3], int i, int j, int k)
{
    return i + (n[0] + 1) * (j + (n[1] + 1) * k);
}

static int is_there(const int n[3], const char *there, int i, int j, int k)
{
    return i >= 0 && j >= 0 && k >= 0 && i < n[0] && j < n[1] && k < n[2] && there[i + n[0] * (j + n[1] * k)];
}

/* Faces of bricks without a neighbour, two triangles each. */
static void put_surface(fem_mesh *m, const int n[3], const char *there, const int *number, int i, int j, int k)
{
    for (int face = 0; face < 6; ++face) {
        const int axis = face / 2, side = face % 2, p = (axis + 1) % 3, q = (axis + 2) % 3;
        int beside[3] = {i, j, k}, corner[4];
        beside[axis] += side ? 1 : -1;
        if (is_there(n, there, beside[0], beside[1], beside[2])) {
            continue;
        }
        for (int c = 0; c < 4; ++c) {
            int at[3] = {i, j, k};
            at[axis] += side;
            at[p] += c == 1 || c == 2;
            at[q] += c >= 2;
            corner[side ? c : 3 - c] = number[fem_box_node(n, at[0], at[1], at[2])];
        }
        m->triangle = grow(m->triangle, 3 * ((size_t)m->ntriangles + 2), sizeof(int));
        for (int t = 0; t < 2; ++t) {
            const int three[3] = {corner[0], corner[1 + t], corner[2 + t]};
            memcpy(m->triangle + 3 * (size_t)m->ntriangles++, three, sizeof three);
        }
    }
}

void fem_mesh_box(fem_mesh *m, const int n[3], const double size[3], const fem_material *material,
                  int (*hole)(const double centre[3]))
{
    const double l[3] = {size[0] / n[0], size[1] / n[1], size[2] / n[2]}, origin[3] = {0.0, -size[1] / 2, -size[2] / 2};
    const size_t all = (size_t)(n[0] + 1) * (size_t)(n[1] + 1) * (size_t)(n[2] + 1);
    char *there = grow(NULL, (size_t)n[0] * (size_t)n[1] * (size_t)n[2], 1);
    int *number = grow(NULL, all, sizeof(int));
    static double K[576], M[576];
    *m = (fem_mesh){.each = 3};
    m->node = grow(NULL, 3 * all, sizeof(double));
    brick(K, M, l, material);
    memset(number, -1, all * sizeof(int));
    for (int e = 0; e < n[0] * n[1] * n[2]; ++e) {
        const int at[3] = {e % n[0], e / n[0] % n[1], e / n[0] / n[1]};
        double centre[3];
        for (int k = 0; k < 3; ++k) {
            centre[k] = origin[k] + (at[k] + 0.5) * l[k];
        }
        there[e] = (char)(hole == NULL || !hole(centre));
        for (int c = 0; c < 8 && there[e]; ++c) {
            number[fem_box_node(n, at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2))] = 0;
        }
    }
    for (size_t i = 0; i < all; ++i) {
        if (number[i] == 0) {
            const int nx = n[0] + 1, ny = n[1] + 1, at[3] = {(int)i % nx, (int)i / nx % ny, (int)i / nx / ny};
            for (int k = 0; k < 3; ++k) {
                m->node[3 * m->nnodes + k] = origin[k] + at[k] * l[k];
            }
            number[i] = m->nnodes++;
        }
    }
    for (int e = 0; e < n[0] * n[1] * n[2]; ++e) {
        const int i = e % n[0], j = e / n[0] % n[1], k = e / n[0] / n[1];
        int node[8];
        for (int c = 0; c < 8; ++c) {
            node[c] = number[fem_box_node(n, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))];
        }
        if (there[e]) {
            add_element(m, node, 8, K, M);
            put_surface(m, n, there, number, i, j, k);
        }
    }
    free(there);
    free(number);
}

int fem_mesh_face(const fem_mesh *m, int *list, double x)
{
    int n = 0;
    for (int i = 0; i < m->nnodes; ++i) {
        if (fabs(m->node[3 * i] - x) < 1e-9) {
            list[n++] = i;
        }
    }
    return n;
}

/* ---- frames ----------------------------------------------------------------------------------- */

/* Bending in the plane of displacement v and rotation r (sign: r = sign v'), entries of a 12 x 12 matrix. */
static void bend(double *A, double f, const double m[4][4], int v, int r, double sign, double l)
{
    const int at[4] = {v, r, v + 6, r + 6};
    const double scale[4] = {1.0, sign * l, 1.0, sign * l};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            A[at[i] + 12 * at[j]] += f * m[i][j] * scale[i] * scale[j];
        }
    }
}

static void rod(double *A, double on, double beside, int u)
{
    A[u + 12 * u] += on;
    A[u + 6 + 12 * (u + 6)] += on;
    A[u + 12 * (u + 6)] += beside;
    A[u + 6 + 12 * u] += beside;
}

/* A := R^T A R with four times the rows e of the axes of the beam. */
static void turn(double A[144], const double e[9])
{
    double T[144] = {0.0};
    for (int side = 0; side < 2; ++side) {
        for (int n = 0; n < 144; ++n) {
            const int i = n / 12, first = n % 12 / 3 * 3, c = n % 3;
            T[first + c + 12 * i] = 0.0;
            for (int k = 0; k < 3; ++k) {
                T[first + c + 12 * i] += A[i + 12 * (first + k)] * e[3 * k + c];
            }
        }
        memcpy(A, T, sizeof T); // transposed: the second time the other side
    }
}

static void axes_of(double e[9], const double d[3], double l)
{
    const double up[3] = {0.0, fabs(d[2]) > 0.9 * l ? 1.0 : 0.0, fabs(d[2]) > 0.9 * l ? 0.0 : 1.0};
    double size = 0.0;
    for (int k = 0; k < 3; ++k) {
        e[k] = d[k] / l;
    }
    for (int k = 0; k < 3; ++k) {
        e[3 + k] = up[(k + 1) % 3] * e[(k + 2) % 3] - up[(k + 2) % 3] * e[(k + 1) % 3];
        size += e[3 + k] * e[3 + k];
    }
    for (int k = 0; k < 3; ++k) {
        e[3 + k] /= sqrt(size);
    }
    for (int k = 0; k < 3; ++k) {
        e[6 + k] = e[(k + 1) % 3] * e[3 + (k + 2) % 3] - e[(k + 2) % 3] * e[3 + (k + 1) % 3];
    }
}

void fem_mesh_frame(fem_mesh *m, const double *node, int nnodes, const int *edge, int nedges, double diameter,
                    const fem_material *p)
{
    static const double stiff[4][4] = {{12, 6, -12, 6}, {6, 4, -6, 2}, {-12, -6, 12, -6}, {6, 2, -6, 4}};
    static const double mass[4][4] = {{156, 22, 54, -13}, {22, 4, 13, -3}, {54, 13, 156, -22}, {-13, -3, -22, 4}};
    static const double rotary[4][4] = {{36, 3, -36, 3}, {3, 4, -3, -1}, {-36, -3, 36, -3}, {3, -1, -3, 4}};
    const double pi = acos(-1.0), area = pi / 4.0 * diameter * diameter, I = area * diameter * diameter / 16.0;
    const double G = p->E / (2.0 * (1.0 + p->nu));
    *m = (fem_mesh){.each = 6, .nnodes = nnodes};
    m->node = grow(NULL, 3 * (size_t)nnodes, sizeof(double));
    memcpy(m->node, node, 3 * (size_t)nnodes * sizeof(double));
    for (int k = 0; k < nedges; ++k) {
        const double *a = node + 3 * edge[2 * k], *b = node + 3 * edge[2 * k + 1];
        const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, l = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double K[144] = {0.0}, M[144] = {0.0}, e[9];
        const double EI = p->E * I / (l * l * l), ml = p->density * area * l, mi = p->density * I / l;
        rod(K, p->E * area / l, -p->E * area / l, 0);
        rod(K, G * 2.0 * I / l, -G * 2.0 * I / l, 3);
        bend(K, EI, stiff, 1, 5, 1.0, l);
        bend(K, EI, stiff, 2, 4, -1.0, l);
        rod(M, ml / 3.0, ml / 6.0, 0);
        rod(M, p->density * 2.0 * I * l / 3.0, p->density * 2.0 * I * l / 6.0, 3);
        bend(M, ml / 420.0, mass, 1, 5, 1.0, l);
        bend(M, ml / 420.0, mass, 2, 4, -1.0, l);
        bend(M, mi / 30.0, rotary, 1, 5, 1.0, l);
        bend(M, mi / 30.0, rotary, 2, 4, -1.0, l);
        axes_of(e, d, l);
        turn(K, e);
        turn(M, e);
        add_element(m, edge + 2 * k, 2, K, M);
    }
}

/* ---- files ------------------------------------------------------------------------------------ */

static FILE *create(const char *folder, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    if (f == NULL) {
        abort();
    }
    return f;
}

static void write_matrix(const fem_mesh *m, const double *x, const char *folder, const char *name)
{
    FILE *f = create(folder, name);
    int n = 0;
    for (int k = 0; k < m->n; ++k) {
        n += m->row[k] >= m->col[k];
    }
    fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", m->each * m->nnodes,
            m->each * m->nnodes, n);
    for (int k = 0; k < m->n; ++k) {
        if (m->row[k] >= m->col[k]) {
            fprintf(f, "%d %d %.17g\n", m->row[k] + 1, m->col[k] + 1, x[k]);
        }
    }
    fclose(f);
}

void fem_mesh_write(const fem_mesh *m, const char *folder)
{
    write_matrix(m, m->M, folder, "m.mtx");
    write_matrix(m, m->K, folder, "k.mtx");
    FILE *f = create(folder, "nodes.csv");
    fprintf(f, "x,y,z\n");
    for (int i = 0; i < m->nnodes; ++i) {
        fprintf(f, "%.17g,%.17g,%.17g\n", m->node[3 * i], m->node[3 * i + 1], m->node[3 * i + 2]);
    }
    fclose(f);
    f = m->ntriangles > 0 ? create(folder, "surface.csv") : NULL;
    for (int k = 0; k < m->ntriangles; ++k) {
        fprintf(f, "%d,%d,%d\n", m->triangle[3 * k], m->triangle[3 * k + 1], m->triangle[3 * k + 2]);
    }
    if (f != NULL) {
        fclose(f);
    }
}
