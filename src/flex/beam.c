/* Shapes of a straight beam as data of a flexible body: mass at the Gauss points of its elements, interface nodes at the
 * ends and at stations. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "flex/beam_impl.h"

enum { NAME = 16 };

/* What dal_beam_modes_create returns; `data` first. The arrays are those of `data`, but not const. */
typedef struct owned {
    dal_modes data;
    dal_ctx *ctx;
    dal_arena arena;
    double *node, *mass, *inertia, *shape, *rotation, *second, *stiffness, *damping, *length2;
    int *interfaces;
    const char **name;
    char *text;
} owned;

/* ---- checks ----------------------------------------------------------------------------------- */

static int positive(double x)
{
    return isfinite(x) && x > 0.0;
}

static dal_status check_material(dal_ctx *ctx, const dal_beam *b)
{
    const unsigned kinds = b->kinds ? b->kinds : 15U;
    if (!positive(b->length) || !positive(b->E) || !positive(b->density) || !positive(b->area) || !positive(b->Iy) ||
        !positive(b->Iz)) {
        return dal_fail(ctx, DAL_EINVAL, "beam: length, E, density, area, Iy and Iz must be positive");
    }
    if (!(b->shear_y >= 0.0) || !(b->shear_z >= 0.0) || !(b->It >= 0.0) || !(b->damping >= 0.0) ||
        !isfinite(b->shear_y + b->shear_z + b->It + b->damping)) {
        return dal_fail(ctx, DAL_EINVAL, "beam: shear factors, It and damping must not be negative");
    }
    if (((kinds & DAL_BEAM_TORSION) || b->shear_y > 0.0 || b->shear_z > 0.0) && !positive(b->G)) {
        return dal_fail(ctx, DAL_EINVAL, "beam: torsion and shear deformation need a modulus G");
    }
    return DAL_OK;
}

static dal_status check_beam(dal_ctx *ctx, const dal_beam *b, beam_reference *reference)
{
    static const char *const name[] = {"clamped", "pinned", "free"};
    DAL_TRY(check_material(ctx, b));
    if (b->elements < 0 || b->elements > 1000 || b->nmodes < 0 || b->nstations < 0 || b->kinds > 15U) {
        return dal_fail(ctx, DAL_EINVAL, "beam: elements = %d (0 .. 1000), nmodes = %d, nstations = %d, kinds = %u",
                        b->elements, b->nmodes, b->nstations, b->kinds);
    }
    if (b->nstations > 0) {
        DAL_NEED_AS(ctx, b->stations, "beam->stations");
    }
    for (int k = 0; k < b->nstations; ++k) {
        if (!(b->stations[k] >= 0.0 && b->stations[k] <= b->length)) {
            return dal_fail(ctx, DAL_EINVAL, "beam: station %d at %g is not within 0 .. %g", k + 1, b->stations[k],
                            b->length);
        }
    }
    for (int k = 0; k < 3; ++k) {
        if (strcmp(b->reference ? b->reference : name[0], name[k]) == 0) {
            *reference = (beam_reference)k;
            return DAL_OK;
        }
    }
    return dal_fail(ctx, DAL_EINVAL, "beam: reference '%s' is none of clamped, pinned, free", b->reference);
}

/* ---- shapes at points ------------------------------------------------------------------------- */

static void make_families(beam_family f[BEAM_FAMILIES], const dal_beam *b, double l)
{
    const double rho = b->density, mass = rho * b->area, It = b->It > 0.0 ? b->It : b->Iy + b->Iz;
    const double EIz = b->E * b->Iz, EIy = b->E * b->Iy, GA = b->G * b->area, rotary = b->slender ? 0.0 : rho;
    f[0] = (beam_family){DAL_BEAM_EXTENSION, 1, 0, -1, 0.0, b->E * b->area, 0.0, mass, 0.0};
    f[1] = (beam_family){DAL_BEAM_BENDING_Y, 2, 1, 2, 1.0, EIz, 0.0, mass, rotary * b->Iz};
    f[2] = (beam_family){DAL_BEAM_BENDING_Z, 2, 2, 1, -1.0, EIy, 0.0, mass, rotary * b->Iy};
    f[3] = (beam_family){DAL_BEAM_TORSION, 1, -1, 0, 1.0, b->G * It, 0.0, 0.0, rho * (b->Iy + b->Iz)};
    f[1].phi = b->shear_y > 0.0 ? 12.0 * EIz / (b->shear_y * GA * l * l) : 0.0;
    f[2].phi = b->shear_z > 0.0 ? 12.0 * EIy / (b->shear_z * GA * l * l) : 0.0;
}

/* All modes at a point: 3 x n displacements and rotations, n slopes of the axis. */
static void modes_at(double *u, double *theta, double *slope, const beam_family *f, const beam_mode *mode, int n,
                     double l, int e, double xi)
{
    for (int k = 0; k < n; ++k) {
        const beam_family *g = &f[mode[k].family];
        const double *x = mode[k].x + (size_t)(g->nd * e);
        double v = 0.0, turn = 0.0, dv = 0.0;
        beam_shape s;
        beam_shape_at(&s, g, l, xi);
        for (int i = 0; i < 2 * g->nd; ++i) {
            v += s.N[i] * x[i];
            turn += s.T[i] * x[i];
            dv += s.dN[i] * x[i];
        }
        for (int i = 0; i < 3 && u; ++i) {
            u[i + 3 * k] = i == g->axis ? v : 0.0;
            theta[i + 3 * k] = i == g->turn ? g->sign * turn : 0.0;
        }
        slope[k] = g->nd == 2 ? dv : 0.0;
    }
}

/* S (n x n) += integral of v_k' v_l' over the part 0 .. xi of element e; shapes in different planes do not mix */
static void add_length(double *S, double *slope, const beam_family *f, const beam_mode *mode, int n, double l, int e,
                       double xi)
{
    for (int g = 0; g < BEAM_GAUSS; ++g) {
        const double w = beam_gauss_weight[g] * l * xi;
        modes_at(NULL, NULL, slope, f, mode, n, l, e, xi * beam_gauss_point[g]);
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                S[i + j * n] += mode[i].family == mode[j].family ? w * slope[i] * slope[j] : 0.0;
            }
        }
    }
}

/* Node number i at the place xi of element e. length2: integral up to the element, and scratch. */
static void set_node(owned *o, int i, const beam_family *f, const beam_mode *mode, double l, int e, double xi)
{
    const int n = o->data.nmodes;
    const size_t at = (size_t)(3 * n) * (size_t)i;
    double *S = o->length2 + (size_t)(n * n), *slope = S + (size_t)(n * n);
    o->node[3 * i] = l * (e + xi);
    modes_at(o->shape + at, o->rotation + at, slope, f, mode, n, l, e, xi);
    if (o->second) {
        memcpy(S, o->length2, (size_t)(n * n) * sizeof(double));
        add_length(S, slope, f, mode, n, l, e, xi);
        for (int k = 0; k < n * n; ++k) {
            o->second[3 * (size_t)k + at * (size_t)n] = -S[k]; // (FX.11)
        }
    }
}

/* ---- data ------------------------------------------------------------------------------------- */

static void carve(owned *o, const dal_beam *b)
{
    dal_modes *d = &o->data;
    dal_arena *arena = &o->arena;
    const int n = d->nmodes, nn = d->nnodes;
    d->node = o->node = dal_arena_reals(arena, 3 * nn);
    d->mass = o->mass = dal_arena_reals(arena, nn);
    d->inertia = o->inertia = dal_arena_reals(arena, 6 * nn);
    d->shape = o->shape = dal_arena_reals(arena, 3 * n * nn);
    d->rotation = o->rotation = dal_arena_reals(arena, 3 * n * nn);
    d->foreshortening = o->second = b->stiffening && n > 0 ? dal_arena_reals(arena, 3 * n * n * nn) : NULL;
    d->stiffness = o->stiffness = dal_arena_reals(arena, n);
    d->damping = o->damping = dal_arena_reals(arena, n);
    d->interfaces = o->interfaces = dal_arena_ints(arena, d->ninterfaces);
    o->length2 = dal_arena_reals(arena, 2 * n * n + n);
    o->text = dal_arena_take(arena, (size_t)d->ninterfaces, NAME);
    o->name = dal_arena_take(arena, (size_t)d->ninterfaces, sizeof(char *));
    d->interface_name = o->name;
}

static void fill_interfaces(owned *o, const dal_beam *b, const beam_family *f, const beam_mode *mode,
                            const beam_mesh *mesh, int e)
{
    const int first = BEAM_GAUSS * mesh->ne;
    for (int k = 0; k < o->data.ninterfaces; ++k) {
        const double x = k == 0 ? 0.0 : k == 1 ? b->length : b->stations[k - 2];
        int of = (int)(x / mesh->l);
        of = of < mesh->ne ? of : mesh->ne - 1;
        if (of != e) {
            continue;
        }
        char *text = o->text + (size_t)(NAME * k);
        if (k < 2) {
            snprintf(text, NAME, "%c", 'A' + k);
        } else {
            snprintf(text, NAME, "%d", k - 1);
        }
        o->name[k] = text;
        o->interfaces[k] = first + k;
        set_node(o, first + k, f, mode, mesh->l, e, x / mesh->l - e);
    }
}

/* A mean axis does not move along the beam: subtract the mean of the foreshortening. */
static void centre_foreshortening(owned *o)
{
    const size_t n = (size_t)o->data.nmodes, nn = n * n, nodes = (size_t)o->data.nnodes;
    double total = 0.0;
    for (size_t i = 0; i < nodes; ++i) {
        total += o->mass[i];
    }
    for (size_t k = 0; k < nn; ++k) {
        double sum = 0.0;
        for (size_t i = 0; i < nodes; ++i) {
            sum += o->mass[i] * o->second[3 * (k + nn * i)];
        }
        for (size_t i = 0; i < nodes; ++i) {
            o->second[3 * (k + nn * i)] -= sum / total;
        }
    }
}

static void fill(owned *o, const dal_beam *b, const beam_family *f, const beam_mode *mode, const beam_mesh *mesh)
{
    const double rho = b->density, rotary = b->slender ? 0.0 : rho, l = mesh->l;
    const int n = o->data.nmodes;
    for (int e = 0; e < mesh->ne; ++e) {
        for (int g = 0; g < BEAM_GAUSS; ++g) {
            const int i = BEAM_GAUSS * e + g;
            const double w = beam_gauss_weight[g] * l;
            set_node(o, i, f, mode, l, e, beam_gauss_point[g]);
            o->mass[i] = w * rho * b->area;
            o->inertia[6 * i] = w * rho * (b->Iy + b->Iz);
            o->inertia[6 * i + 1] = w * rotary * b->Iy;
            o->inertia[6 * i + 2] = w * rotary * b->Iz;
        }
        fill_interfaces(o, b, f, mode, mesh, e);
        if (o->second) {
            add_length(o->length2, o->length2 + (size_t)(2 * n * n), f, mode, n, l, e, 1.0);
        }
    }
    if (o->second && mesh->reference == BEAM_FREE) {
        centre_foreshortening(o);
    }
    for (int k = 0; k < n; ++k) {
        o->stiffness[k] = mode[k].square;
        o->damping[k] = b->damping;
    }
}

static dal_status create(owned **out, dal_ctx *ctx, const dal_beam *b, const beam_family *f, const beam_mode *mode,
                         int n, const beam_mesh *mesh)
{
    const double size = 3.0 * n * (BEAM_GAUSS * mesh->ne + 2.0 + b->nstations) * (b->stiffening ? fmax(n, 1.0) : 1.0);
    if (size > INT_MAX) {
        return dal_fail(ctx, DAL_EINVAL, "beam: %d modes are too many for its elements and stations", n);
    }
    owned *o = dal_alloc_zero(ctx, sizeof *o);
    if (!o) {
        return dal_fail(ctx, DAL_ENOMEM, "beam: no memory for its shapes");
    }
    o->ctx = ctx;
    o->arena = dal_arena_init(ctx);
    o->data.nmodes = n;
    o->data.ninterfaces = 2 + b->nstations;
    o->data.nnodes = BEAM_GAUSS * mesh->ne + o->data.ninterfaces;
    carve(o, b);
    const dal_status st = dal_arena_reserve(&o->arena);
    if (st != DAL_OK) {
        dal_free(ctx, o);
        return st;
    }
    carve(o, b);
    fill(o, b, f, mode, mesh);
    *out = o;
    return DAL_OK;
}

dal_status dal_beam_modes_create_(dal_modes **modes, dal_ctx *ctx, const dal_beam *beam, size_t size)
{
    DAL_NEED(ctx, modes);
    *modes = NULL;
    DAL_NEED(NULL, ctx);
    DAL_NEED(ctx, beam);
    DAL_OWN(ctx, dal_beam, beam);
    beam_mesh mesh = {.ne = beam->elements > 0 ? beam->elements : 20};
    beam_family f[BEAM_FAMILIES];
    beam_mode *mode = NULL;
    owned *o = NULL;
    int n = 0;
    DAL_TRY(check_beam(ctx, beam, &mesh.reference));
    mesh.l = beam->length / mesh.ne;
    make_families(f, beam, mesh.l);
    dal_arena arena = dal_arena_init(ctx);
    dal_status st = beam_eigenmodes(&mode, &n, &arena, ctx, f, &mesh, beam);
    st = st == DAL_OK ? create(&o, ctx, beam, f, mode, n, &mesh) : st;
    dal_arena_release(&arena);
    *modes = o ? &o->data : NULL;
    return st;
}

void dal_beam_modes_destroy(dal_modes *modes)
{
    if (modes) {
        owned *o = (owned *)modes;
        dal_ctx *ctx = o->ctx;
        dal_arena_release(&o->arena);
        dal_free(ctx, o);
    }
}
