/* The tables of forms. What is a field of a description is read by its table alone (dal_io_values); for other keys there
 * is code in the reader of the form. */
#include "io/forms.h"
#include "dalembert/contacts.h"

#include <string.h>

#include "dalembert/events.h"
#include "dalembert/shape.h"
#include "mbs/keys.h"

/* A value that has a definition of its own in schema.json.in. */
#define VALUE(name_, form_, unit_, text_, ...) MB_KEY_READ(VALUE, name_, unit_, text_, .form = (form_), __VA_ARGS__)

#define KEYS(keys_) .keys = (keys_), .nkeys = sizeof(keys_) / sizeof *(keys_)

/* ---- rotations and frames --------------------------------------------------------------------- */

static const char *const letters[] = {"x", "y", "z", NULL};

static const dal_key angle_value[] = {MB_KEY_READ(NUMBER, "", "rad", "angle about z", MB_OPTIONAL)};
static const dal_key quaternion_value[] = {MB_KEY_READ(NUMBERS, "", "", "unit quaternion, scalar first", .n = 4)};
static const dal_key quaternion_keys[] = {
    MB_KEY_READ(NUMBERS, "quaternion", "", "its four numbers", .n = 4, MB_REQUIRED)};
static const dal_key matrix_keys[] = {VALUE("matrix", "matrix", "", "its three rows", MB_REQUIRED)};
static const dal_key axis_keys[] = {MB_KEY_READ(VECTOR, "axis", "", "the axis, of any length but zero", MB_REQUIRED),
                                    MB_KEY_READ(NUMBER, "angle", "rad", "the angle", MB_REQUIRED)};
static const dal_key vector_keys[] = {
    MB_KEY_READ(VECTOR, "vector", "rad", "along the axis, as long as the angle", MB_REQUIRED)};
static const dal_key euler_keys[] = {
    MB_KEY_READ(TEXT, "euler", "", "the axes, as \"zxz\"", MB_REQUIRED),
    MB_KEY_READ(NUMBERS, "angles", "rad", "the angles, in the same order", .n = 3, MB_REQUIRED)};

#define DIRECTIONS(name_)                                                                                  \
    VALUE(name_, "points", "m", "from a point to a point, exactly", MB_REQUIRED),                          \
        MB_KEY_READ(VECTOR, "x_axis", "", "one of these: where another axis points, nearly", MB_OPTIONAL), \
        MB_KEY_READ(VECTOR, "y_axis", "", "likewise", MB_OPTIONAL),                                        \
        MB_KEY_READ(VECTOR, "z_axis", "", "likewise", MB_OPTIONAL)
static const dal_key x_along_keys[] = {DIRECTIONS("x_along")};
static const dal_key y_along_keys[] = {DIRECTIONS("y_along")};
static const dal_key z_along_keys[] = {DIRECTIONS("z_along")};

static const dal_key origin_value[] = {MB_KEY_READ(VECTOR, "", "m", "its origin", MB_OPTIONAL)};
#define FRAME_POSITION MB_KEY_READ(VECTOR, "position", "m", "origin", MB_OPTIONAL)
static const dal_key frame_keys[] = {FRAME_POSITION, MB_KEY_READ(ROTATION, "rotation", "", "axes", MB_OPTIONAL)};
static const dal_key axes_keys[] = {FRAME_POSITION, MB_KEY_READ(VECTOR, "axis", "", "z axis", MB_OPTIONAL),
                                    MB_KEY_READ(VECTOR, "x_axis", "", "x axis", MB_OPTIONAL),
                                    MB_KEY_READ(VECTOR, "y_axis", "", "y axis", MB_OPTIONAL)};

#define ROTATION(kind_, name_, what_, text_, keys_)               \
    {                                                             \
        .what = (what_), .number = IO_ROTATION_##kind_, .type = { \
            .section = "rotation",                                \
            .name = (name_),                                      \
            .text = (text_),                                      \
            KEYS(keys_)                                           \
        }                                                         \
    }

/* ---- inertia, shapes -------------------------------------------------------------------------- */

static const dal_key moment_value[] = {
    MB_KEY_READ(NUMBER, "", "kg m^2", "planar: about z; else the same about all axes", MB_OPTIONAL)};
static const dal_key moments_value[] = {MB_KEY_READ(NUMBERS, "", "kg m^2", "xx, yy, zz", .n = 3)};
static const dal_key tensor_value[] = {MB_KEY_READ(NUMBERS, "", "kg m^2", "xx, yy, zz, xy, xz, yz", .n = 6)};

#define AXIS(preset_) MB_KEY_READ(CHOICE, "axis", "", "its axis", .words = letters, .preset = "\"" preset_ "\"")
static const dal_key solid_box_keys[] = {MB_KEY_READ(NUMBERS, "box", "m", "its edges", .n = 3, MB_REQUIRED)};
static const dal_key rod_keys[] = {MB_KEY_READ(NUMBER, "rod", "m", "its length", MB_REQUIRED), AXIS("x")};
static const dal_key solid_cylinder_keys[] = {
    MB_KEY_READ(NUMBERS, "cylinder", "m", "radius, length", .n = 2, MB_REQUIRED), AXIS("z")};
static const dal_key disk_keys[] = {MB_KEY_READ(NUMBER, "disk", "m", "its radius", MB_REQUIRED), AXIS("z")};
static const dal_key solid_sphere_keys[] = {MB_KEY_READ(NUMBER, "sphere", "m", "its radius", MB_REQUIRED)};

#define INERTIA(kind_, name_, text_, keys_)                           \
    {                                                                 \
        .what = "this shape", .number = IO_INERTIA_##kind_, .type = { \
            .section = "inertia",                                     \
            .name = (name_),                                          \
            .text = (text_),                                          \
            KEYS(keys_)                                               \
        }                                                             \
    }

#define LOOKS                                                                              \
    MB_KEY_READ(FRAME, "frame", "", "of the shape in the frame of the body", MB_OPTIONAL), \
        VALUE("colour", "colour", "", "default: one of a palette", MB_OPTIONAL),           \
        MB_KEY(NUMBER, "opacity", dal_shape, opacity, "", "from 0 to 1", .preset = "1")
#define ALONG \
    MB_KEY_READ(CHOICE, "along", "", "its axis in the frame", .words = letters, .word = "axis", .preset = "\"z\"")

static const dal_key box_keys[] = {MB_KEY(NUMBERS, "box", dal_shape, size, "m", "three edges", .n = 3, MB_REQUIRED),
                                   LOOKS};
static const dal_key ellipsoid_keys[] = {
    MB_KEY(NUMBERS, "ellipsoid", dal_shape, size, "m", "three semi-axes", .n = 3, MB_REQUIRED), LOOKS};
static const dal_key sphere_keys[] = {MB_KEY(NUMBER, "sphere", dal_shape, radius, "m", "radius", MB_REQUIRED), LOOKS};
static const dal_key cylinder_keys[] = {
    MB_KEY_READ(NUMBERS, "cylinder", "m", "radius, length", .n = 2, MB_REQUIRED), ALONG,
    MB_KEY(FLAG, "spokes", dal_shape, spokes, "", "draw spokes", MB_OPTIONAL), LOOKS};
static const dal_key cone_keys[] = {MB_KEY_READ(NUMBERS, "cone", "m", "radius, length", .n = 2, MB_REQUIRED), ALONG,
                                    LOOKS};
static const dal_key capsule_keys[] = {
    MB_KEY_READ(NUMBERS, "capsule", "m", "radius, length of its cylinder", .n = 2, MB_REQUIRED), ALONG, LOOKS};
static const dal_key tube_keys[] = {VALUE("tube", "points", "m", "the points", MB_REQUIRED),
                                    MB_KEY(NUMBER, "radius", dal_shape, radius, "m", "radius", MB_REQUIRED), LOOKS};
static const dal_key mesh_keys[] = {
    MB_KEY_READ(FILE, "mesh", "", "the file", MB_REQUIRED),
    MB_KEY(NUMBER, "scale", dal_shape, scale, "", "factor for its coordinates; 0.001 for mm", .preset = "1"),
    MB_KEY_READ(VECTOR, "stretch", "", "factors along x, y and z besides; negative ones mirror", .preset = "[1, 1, 1]"),
    LOOKS};

#define SHAPE(kind_, name_, what_, text_, keys_)                \
    {                                                           \
        .what = (what_), .number = DAL_SHAPE_##kind_, .type = { \
            .section = "shape",                                 \
            .name = (name_),                                    \
            .text = (text_),                                    \
            KEYS(keys_)                                         \
        }                                                       \
    }

/* ---- flexible bodies -------------------------------------------------------------------------- */

const char *const dal_io_boundaries[] = {"clamped", "pinned", "free", NULL};
static const char *const deformations[] = {"extension", "bending_y", "bending_z", "torsion", NULL}; // DAL_BEAM_*

#define BEAM(kind_, name_, field_, unit_, text_, ...) MB_KEY(kind_, name_, io_beam, field_, unit_, text_, __VA_ARGS__)

#define PROFILE                                                                                                       \
    BEAM(NUMBERS, "rectangle", rectangle, "m", "sides along y and z", .n = 2),                                        \
        BEAM(NUMBER, "circle", circle, "m", "diameter", MB_OPTIONAL),                                                 \
        BEAM(NUMBERS, "tube", tube, "m", "outer and inner diameter", .n = 2),                                         \
        BEAM(NUMBERS, "i", i, "m", "width along y, height along z, thickness of the flanges and of the web", .n = 4), \
        BEAM(NUMBER, "area", beam.area, "m^2", "of the section", MB_OPTIONAL),                                        \
        BEAM(NUMBER, "Iy", beam.Iy, "m^4", "second moment of area about y: bending along z", MB_OPTIONAL),            \
        BEAM(NUMBER, "Iz", beam.Iz, "m^4", "about z: bending along y", MB_OPTIONAL),                                  \
        BEAM(NUMBER, "It", beam.It, "m^4", "torsion constant; default Iy + Iz", MB_OPTIONAL)

static const dal_key beam_keys[] = {
    BEAM(NUMBER, "length", beam.length, "m", "from end to end", MB_REQUIRED),
    BEAM(NUMBER, "E", beam.E, "Pa", "modulus of elasticity", MB_REQUIRED),
    BEAM(NUMBER, "G", beam.G, "Pa", "shear modulus; for torsion and shear deformation", MB_OPTIONAL),
    BEAM(NUMBER, "nu", nu, "", "Poisson's ratio, instead of G", MB_OPTIONAL),
    BEAM(NUMBER, "density", beam.density, "kg/m^3", "of the material", MB_REQUIRED),
    PROFILE,
    BEAM(NUMBER, "shear_y", beam.shear_y, "", "shear factor for displacements along y; default 0: Euler-Bernoulli",
         MB_OPTIONAL),
    BEAM(NUMBER, "shear_z", beam.shear_z, "", "the same along z", MB_OPTIONAL),
    BEAM(FLAG, "slender", beam.slender, "", "leave the rotary inertia of bending out", MB_OPTIONAL),
    BEAM(CHOICE, "boundary", boundary, "", "how the frame is attached: clamped at x = 0, pinned at both ends, free",
         .words = dal_io_boundaries, .preset = "\"clamped\""),
    BEAM(CHOICES, "kinds", beam.kinds, "", "kinds of deformation; default all", .words = deformations,
         .word = "kind of deformation"),
    BEAM(WHOLE, "elements", beam.elements, "", "finite elements", .preset = "20"),
    BEAM(WHOLE, "modes", beam.nmodes, "", "how many, the lowest ones", MB_REQUIRED),
    BEAM(FLAG, "craig_bampton", beam.craig_bampton, "", "modes with both ends held and the static shapes of the ends",
         MB_OPTIONAL),
    BEAM(FLAG, "stiffening", beam.stiffening, "", "geometric stiffening", MB_OPTIONAL),
    BEAM(NUMBER, "damping", beam.damping, "", "damping ratio of all modes", MB_OPTIONAL),
    VALUE("stations", "stations", "m",
          "places x of further interface nodes: by name, or a list for the names 1, 2, ...", MB_OPTIONAL)};

#define ARRAY(name_, depth_, unit_, text_, ...) MB_KEY_READ(ARRAY, name_, unit_, text_, .n = (depth_), __VA_ARGS__)

static const dal_key modes_keys[] = {
    ARRAY("nodes", 2, "m", "place of each node: x, y, z", MB_REQUIRED),
    ARRAY("masses", 1, "kg",
          "of each node; or instead of masses and inertias at nodes: rigid and the sums that follow it", MB_OPTIONAL),
    ARRAY("inertias", 2, "kg m^2", "of each node, about it: xx, yy, zz, xy, xz, yz; default 0", MB_OPTIONAL),
    ARRAY("shapes", 3, "", "for each node and each mode the displacement x, y, z", MB_REQUIRED),
    ARRAY("rotations", 3, "", "the same for small rotations; default 0", MB_OPTIONAL),
    ARRAY("foreshortening", 4, "",
          "for each node and each two modes k, l the second-order displacement g_kl, for geometric stiffening",
          MB_OPTIONAL),
    VALUE("stiffness", "stiffness", "", "of each mode, or a symmetric matrix", MB_REQUIRED),
    ARRAY("damping", 1, "", "damping ratio of each mode; default 0", MB_OPTIONAL),
    VALUE("interfaces", "interfaces", "",
          "nodes where elements may be attached: by name, or a list for the names 1, 2, ...; an object with nodes and "
          "weights is their mean",
          MB_REQUIRED),
    ARRAY("rigid", 1, "",
          "mass, three integrals of m a, six of the inertia about the origin (xx, yy, zz, xy, xz, yz); a: places",
          MB_OPTIONAL),
    ARRAY("shape_sums", 2, "", "for each mode the three integrals of m psi", MB_OPTIONAL),
    ARRAY("place_sums", 2, "", "for each mode the nine of m a psi^T, by columns", MB_OPTIONAL),
    ARRAY("product_sums", 3, "", "for each two modes k, l the nine of m psi_l psi_k^T, by columns", MB_OPTIONAL),
    ARRAY("modal_mass", 2, "", "for each two modes", MB_OPTIONAL),
    ARRAY("triangles", 2, "", "three nodes of each triangle of the surface, for pictures", MB_OPTIONAL),
    ARRAY("recovery", 2, "", "for each mode the values of the output `recovery`, stresses for instance", MB_OPTIONAL)};

static const dal_key node_value[] = {MB_KEY_READ(NUMBER, "", "", "the number of a node", MB_OPTIONAL)};
static const dal_key mean_keys[] = {MB_KEY_READ(LIST, "nodes", "", "their numbers, each once", MB_REQUIRED),
                                    ARRAY("weights", 1, "", "of each, 1e-30 to 1e30; default 1", MB_OPTIONAL)};

#define FEM(kind_, name_, field_, unit_, text_, ...) MB_KEY(kind_, name_, io_fem, field_, unit_, text_, __VA_ARGS__)
static const char *const fem_methods[] = {"craig_bampton", "free", NULL}; // dal_fem_method
static const char *const set_kinds[] = {"rigid", "average", NULL};

static const dal_key fem_matrices_keys[] = {
    MB_KEY_READ(FILE, "M", "", "the mass matrix", MB_REQUIRED),
    MB_KEY_READ(FILE, "K", "", "the stiffness matrix of the body, without supports", MB_REQUIRED)};
static const dal_key fem_keys[] = {
    VALUE("matrices", "fem_matrices", "", "files: Matrix Market, CSV or HDF5", MB_REQUIRED),
    MB_KEY_READ(FILE, "nodes", "", "file with the place of each node in a line: x, y, z, or its number and these",
                MB_REQUIRED),
    MB_KEY_READ(FILE, "rows", "",
                "file with the node and the component (1 to 6: displacements, rotations) of each row of the matrices; "
                "default three or "
                "six for each node in turn",
                MB_OPTIONAL),
    FEM(NUMBER, "length_unit", fem.length, "m", "that of nodes and matrices; 0.001 for mm", .preset = "1"),
    FEM(NUMBER, "mass_unit", fem.mass, "kg", "likewise; 1000 for t", .preset = "1"),
    FEM(NUMBER, "stiffness_factor", fem.stiffness_factor, "", "of K, for another modulus of elasticity", .preset = "1"),
    FEM(NUMBER, "mass_factor", fem.mass_factor, "", "of M, for another density", .preset = "1"),
    VALUE("interfaces", "node_sets", "", "sets of nodes where elements may be attached, by name", MB_OPTIONAL),
    FEM(CHOICE, "method", method, "",
        "modes with the interfaces held and their static shapes, or free modes and static shapes under forces",
        .words = fem_methods, .preset = "\"craig_bampton\""),
    FEM(WHOLE, "modes", fem.nmodes, "", "how many vibrations, the lowest ones", MB_OPTIONAL),
    FEM(NUMBER, "frequency", fem.frequency, "Hz", "or all vibrations below it", MB_OPTIONAL),
    FEM(NUMBER, "cutoff", fem.cutoff, "Hz", "shapes of the reduced body above it are left out", MB_OPTIONAL),
    FEM(TEXT, "reference", reference, "", "interface that the frame of the body is fixed to; default: mean axes",
        MB_OPTIONAL),
    FEM(NUMBER, "damping", fem.damping, "", "damping ratio of all modes", MB_OPTIONAL),
    MB_KEY_READ(FILE, "surface", "",
                "file with the nodes of a face (three or four) or of a beam (two) in each line, for pictures",
                MB_OPTIONAL),
    MB_KEY_READ(FILE, "recovery", "",
                "file with a matrix that turns displacements into stresses or the like: the output `recovery`",
                MB_OPTIONAL)};
static const dal_key node_set_keys[] = {
    MB_KEY_READ(LIST, "nodes", "", "their numbers, each once", MB_OPTIONAL),
    MB_KEY_READ(FILE, "file", "", "or a file with these", MB_OPTIONAL),
    ARRAY("box", 2, "", "or all nodes between two corners, in the unit of the nodes", MB_OPTIONAL),
    MB_KEY(CHOICE, "kind", io_node_set, kind, "", "they move as one piece, or their mean counts", .words = set_kinds,
           .preset = "\"rigid\""),
    ARRAY("weights", 1, "", "of the nodes of a mean, 1e-30 to 1e30; default 1", MB_OPTIONAL)};

/* ---- geometrically exact beams ---------------------------------------------------------------- */

#define SECTION(kind_, name_, field_, unit_, text_, ...) \
    MB_KEY(kind_, name_, io_section, field_, unit_, text_, __VA_ARGS__)
static const dal_key section_keys[] = {
    BEAM(NUMBER, "E", beam.E, "Pa", "modulus of elasticity, of a profile", MB_OPTIONAL),
    BEAM(NUMBER, "G", beam.G, "Pa", "shear modulus", MB_OPTIONAL),
    BEAM(NUMBER, "nu", nu, "", "Poisson's ratio, instead of G", MB_OPTIONAL),
    BEAM(NUMBER, "density", beam.density, "kg/m^3", "of the material; default 0, for statics", MB_OPTIONAL),
    PROFILE,
    BEAM(NUMBER, "shear_y", beam.shear_y, "", "shear factor along y; default that of the profile", MB_OPTIONAL),
    BEAM(NUMBER, "shear_z", beam.shear_z, "", "the same along z", MB_OPTIONAL),
    SECTION(NUMBERS, "centre", centre, "m", "of a profile, from the axis of the beam, along y and z", .n = 2),
    SECTION(NUMBER, "EA", EA, "N", "instead of a profile: stiffness against extension", MB_OPTIONAL),
    VALUE("GA", "one_or_more", "N", "against shear, or along y and along z", MB_OPTIONAL),
    SECTION(NUMBER, "GJ", GJ, "N m^2", "against torsion", MB_OPTIONAL),
    VALUE("EI", "one_or_more", "N m^2", "against bending, or about y and about z", MB_OPTIONAL),
    SECTION(NUMBER, "rhoA", rhoA, "kg/m", "mass per length; default 0", MB_OPTIONAL),
    VALUE("rhoI", "one_or_more", "kg m",
          "rotary inertia per length: about y and z (about x their sum), or about x, y and z", MB_OPTIONAL),
    ARRAY("stiffness", 2, "", "instead of these: 6 x 6, symmetric; extension, shears, torsion, bending about y and z",
          MB_OPTIONAL),
    ARRAY("mass", 2, "", "6 x 6", MB_OPTIONAL),
    ARRAY("damping_matrix", 2, "", "6 x 6, of Kelvin and Voigt", MB_OPTIONAL),
    SECTION(NUMBER, "damping", damping, "s", "instead of it: this times the stiffness", MB_OPTIONAL)};

static const char *const slender_types[] = {"beam", NULL};
#define SLENDER(kind_, name_, field_, unit_, text_, ...) \
    MB_KEY(kind_, name_, io_slender, field_, unit_, text_, __VA_ARGS__)
static const dal_key slender_keys[] = {
    SLENDER(TEXT, "name", name, "", "unique among beams", MB_REQUIRED),
    SLENDER(CHOICE, "type", type, "", "what it is", .words = slender_types, .preset = "\"beam\""),
    SLENDER(VECTOR, "from", from, "m", "where it starts; default the origin", MB_OPTIONAL),
    SLENDER(VECTOR, "to", to, "m", "a straight beam: where it ends", MB_OPTIONAL),
    VALUE("points", "points", "m", "or points of a spline", MB_OPTIONAL),
    VALUE("arc", "arc", "", "or an arc from `from` on", MB_OPTIONAL),
    VALUE("helix", "helix", "", "or a helix from `from` on", MB_OPTIONAL),
    SLENDER(VECTOR, "tangent", tangent, "", "of an arc: its direction at the start", .preset = "[1, 0, 0]"),
    SLENDER(VECTOR, "axis_2", axis_2, "",
            "direction of the section axis y at the start, towards the centre of an arc or helix; default: so that z "
            "is near that of the world",
            MB_OPTIONAL),
    SLENDER(NUMBER, "twist", twist, "rad", "of the section, from the start to the end", MB_OPTIONAL),
    VALUE("section", "sections", "", "its section, or several at equal distances", MB_REQUIRED),
    SLENDER(WHOLE, "elements", elements, "", "how many", .preset = "8"),
    SLENDER(WHOLE, "order", order, "", "of an element: 2 to 8; 1: two nodes and constant strain", .preset = "4"),
    SLENDER(FLAG, "fourth_order", fourth_order, "", "of order 1: the section law of order four", MB_OPTIONAL),
    SLENDER(FLAG, "consistent", consistent, "", "consistent mass instead of a share for each node, for frequencies",
            MB_OPTIONAL),
    VALUE("start", "join", "", "what its start is joined to", MB_OPTIONAL),
    VALUE("end", "join", "", "the same of its end", MB_OPTIONAL),
    SLENDER(VECTOR, "velocity", velocity, "m/s", "initial: of its start, world axes", MB_OPTIONAL),
    SLENDER(VECTOR, "angular_velocity", angular_velocity, "rad/s", "initial: of the whole, world axes", MB_OPTIONAL),
    VALUE("loads", "line_loads", "", "loads per length", MB_OPTIONAL),
    VALUE("slides", "slides", "", "bodies that slide along it: beads, trolleys, guides", MB_OPTIONAL),
    VALUE("colour", "colour", "", "on pages", MB_OPTIONAL)};
static const dal_key join_value[] = {
    VALUE("", "string", "", "fixed to \"ground\", a body, a node of another beam", MB_OPTIONAL)};
static const char *const join_kinds[] = {"rigid", "hinged", "ball", NULL};
static const dal_key join_keys[] = {
    VALUE("body", "string", "", "\"ground\", a body, a node of another beam", MB_REQUIRED),
    MB_KEY(CHOICE, "kind", io_join, kind, "", "how; hinged and ball are joints called as the node is, \"rod@0\"",
           .words = join_kinds, .preset = "\"rigid\""),
    MB_KEY(VECTOR, "axis", io_join, axis, "", "of a hinge, world axes at the start", MB_OPTIONAL)};
static const dal_key arc_keys[] = {MB_KEY(NUMBER, "radius", io_arc, radius, "m", "its radius", MB_REQUIRED),
                                   MB_KEY(NUMBER, "angle", io_arc, angle, "rad", "by which it turns", MB_REQUIRED)};
static const dal_key helix_keys[] = {
    MB_KEY(NUMBER, "radius", io_helix, radius, "m", "its radius", MB_REQUIRED),
    MB_KEY(NUMBER, "pitch", io_helix, pitch, "m", "along the axis, a turn; negative: left-handed", MB_REQUIRED),
    MB_KEY(NUMBER, "turns", io_helix, turns, "", "how many", MB_REQUIRED),
    MB_KEY(VECTOR, "axis", io_helix, axis, "", "its direction", .preset = "[0, 0, 1]")};
static const dal_key line_load_keys[] = {
    VALUE("vector", "vector_or_vectors", "N/m", "what acts, or several at equal distances", MB_REQUIRED),
    MB_KEY(FLAG, "follower", io_line_load, follower, "", "in section axes instead of those of the world", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", io_line_load, function, "", "factor over time", MB_OPTIONAL)};

static const dal_key slide_keys[] = {
    VALUE("body", "text", "", "which body", MB_REQUIRED),
    MB_KEY(VECTOR, "point", io_slide, point, "m", "of the body, in its frame", .preset = "[0, 0, 0]"),
    MB_KEY(FLAG, "guide", io_slide, guide, "",
           "it holds the direction of the section, too, as it is at the start; with feed, on beams of order 1",
           MB_OPTIONAL),
    MB_KEY(FUNCTION, "feed", io_slide, feed, "m",
           "which place is held, the arc length from the start of the beam, over time; without it the nearest one",
           MB_OPTIONAL)};

/* ---- inputs, spans of time -------------------------------------------------------------------- */

static const dal_key input_value[] = {
    VALUE("", "string", "",
          "\"joint.coordinate\", \"joint.coordinate_velocity\", \"name.state\", or a component like "
          "\"body.position.x\", \"body.velocity.y\", \"body.angular_velocity.z\" in world axes; a named output "
          "that is one of these",
          MB_OPTIONAL)};
static const dal_key input_keys[] = {
    MB_COORDINATE_KEY(dal_input, "which coordinate"),
    MB_KEY(FLAG, "rate", dal_input, rate, "", "its rate of change instead", MB_OPTIONAL)};

static const dal_key span_keys[] = {MB_KEY(NUMBER, "from", io_span, from, "s", "default: the start", MB_OPTIONAL),
                                    MB_KEY(NUMBER, "to", io_span, to, "s", "default: no end", MB_OPTIONAL)};

static const dal_key active_value[] = {
    MB_KEY_READ(FLAG, "", "", "false: not until an event switches it on", MB_OPTIONAL)};

/* ---- events ----------------------------------------------------------------------------------- */

static const dal_key event_keys[] = {
    MB_KEY(TEXT, "name", dal_model_event, name, "", "unique among events", MB_REQUIRED),
    VALUE("when", "string", "",
          "the condition: \"hinge.coordinate > 1.5\". It happens where it becomes true: > upwards, < downwards, = "
          "either way",
          MB_OPTIONAL),
    MB_KEY_READ(NUMBER, "every", "s", "instead of a condition: it happens at from, from + every, ...", MB_OPTIONAL),
    MB_KEY_READ(NUMBER, "from", "s", "with every: the first time; default `0`", MB_OPTIONAL),
    VALUE("inputs", "words", "", "outputs by name, for expressions: outputs whose names are no words", MB_OPTIONAL),
    VALUE("on", "name_or_names", "", "joints that close, forces that act from then on", MB_OPTIONAL),
    VALUE("off", "name_or_names", "", "joints that open, forces that act no longer", MB_OPTIONAL),
    VALUE("grab", "name_or_names", "", "joints that close at the present pose", MB_OPTIONAL),
    VALUE("impulse", "name_or_names", "", "forces that act for a moment, N as N s", MB_OPTIONAL),
    VALUE("set", "variables", "", "inputs of the model that are set, to numbers or expressions", MB_OPTIONAL),
    MB_KEY_READ(FLAG, "stop", "", "the run ends", MB_OPTIONAL),
    MB_KEY(FLAG, "once", dal_model_event, once, "", "in a run", MB_OPTIONAL),
    MB_KEY(NUMBER, "band", dal_model_event, band, "",
           "how far both sides of the condition must be apart before it happens again; default: rounding",
           MB_OPTIONAL)};

/* ---- the model and what is around its elements ------------------------------------------------ */

static const dal_key model_keys[] = {
    VALUE("dalembert", "version", "", "version of the format", MB_REQUIRED),
    VALUE("name", "string", "", "name of the model", MB_OPTIONAL),
    VALUE("title", "string", "", "one line", MB_OPTIONAL),
    VALUE("description", "string", "", "more lines", MB_OPTIONAL),
    VALUE("variables", "variables", "", "numbers and vectors by name; expressions may use other variables",
          MB_OPTIONAL),
    VALUE("inputs", "model_inputs", "",
          "numbers by name that may change while the model runs; expressions use them as variables", MB_OPTIONAL),
    VALUE("words", "words", "", "texts by name, for {name} in other texts", MB_OPTIONAL),
    MB_KEY_READ(VECTOR, "gravity", "m/s^2", "default none", MB_OPTIONAL),
    VALUE("functions", "functions", "", "functions by name", MB_OPTIONAL),
    VALUE("parts", "parts", "", "other models that are parts of this one", MB_OPTIONAL),
    VALUE("bodies", "bodies", "", "the bodies", MB_OPTIONAL),
    VALUE("beams", "beams", "", "geometrically exact beams", MB_OPTIONAL),
    VALUE("joints", "joints", "", "the joints", MB_OPTIONAL),
    VALUE("forces", "forces", "", "the forces", MB_OPTIONAL),
    VALUE("contacts", "contact_groups", "", "bodies that may touch each other, by their shapes", MB_OPTIONAL),
    VALUE("outputs", "outputs", "", "what to report; default: position and quaternion of every body, and the energy",
          MB_OPTIONAL),
    VALUE("events", "events", "", "what happens where a condition becomes true", MB_OPTIONAL),
    VALUE("assembly", "assembly", "", "close the mechanism from its initial guess before the start", MB_OPTIONAL),
    VALUE("view", "view", "", "what the page of the mechanism shows beside its bodies; no influence on the motion",
          MB_OPTIONAL),
    VALUE("simulation", "simulation", "", "t_end (default 1) and the options of the simulation by name", MB_OPTIONAL),
    VALUE("sweep", "sweep", "", "how dalembert sweep varies the model", MB_OPTIONAL)};

static const dal_key part_keys[] = {
    VALUE("use", "text", "", "the file, beside the one that uses it, or the built-in model that the part is",
          MB_OPTIONAL),
    VALUE("model", "part_model", "", "instead of it: the model itself", MB_OPTIONAL),
    VALUE("name", "text", "", "its elements and variables are called name.element", MB_REQUIRED),
    MB_KEY_READ(FRAME, "at", "", "where its world is; default: at the origin", MB_OPTIONAL),
    MB_KEY_READ(BODY, "in", "", "the body, or the joint (its frame A), whose axes `at` is in, at the initial pose",
                MB_OPTIONAL),
    MB_KEY_READ(BODY, "on", "", "the body that is its ground; default: the ground", MB_OPTIONAL),
    VALUE("set", "settings", "", "variables, inputs and words of it, by name", MB_OPTIONAL)};

static const dal_key model_input_value[] = {
    MB_KEY_READ(NUMBER, "", "", "its value at first, without limits", MB_OPTIONAL)};
static const dal_key model_input_keys[] = {
    MB_KEY(NUMBER, "value", io_limits, value, "", "at first; default 0", MB_OPTIONAL),
    VALUE("unit", "string", "", "for those who read it", MB_OPTIONAL),
    MB_KEY(NUMBER, "min", io_limits, min, "", "what is below is refused; default: nothing is", MB_OPTIONAL),
    MB_KEY(NUMBER, "max", io_limits, max, "", "what is above is refused; default: nothing is", MB_OPTIONAL)};

static const dal_key assembly_keys[] = {VALUE("hold", "names", "", "bodies that stay where they are", MB_OPTIONAL)};

static const dal_key contact_pair_keys[] = {
    VALUE("a", "names", "", "bodies, or the beginning of their names and a star; ground: planes, too", MB_REQUIRED),
    VALUE("b", "names", "", "those that they touch; default: the same", MB_OPTIONAL),
    MB_KEY(NUMBER, "restitution", dal_contact_pair, restitution, "", "velocity after an impact to that before",
           MB_OPTIONAL),
    MB_KEY(NUMBER, "mu", dal_contact_pair, mu, "", "coefficient of friction", MB_OPTIONAL)};

static const dal_key contact_group_keys[] = {
    MB_KEY(TEXT, "name", dal_contact_group, name, "", "for messages and the table of events; default: contacts",
           MB_OPTIONAL),
    VALUE("bodies", "names", "", "bodies, or the beginning of their names and a star; default: all that have shapes",
          MB_OPTIONAL),
    VALUE("planes", "frames", "", "planes fixed to the ground: bodies stay where z of the frame is positive",
          MB_OPTIONAL),
    MB_KEY(FLAG, "apart", dal_contact_group, apart, "", "bodies touch the planes and the ground, not each other",
           MB_OPTIONAL),
    MB_KEY(NUMBER, "restitution", dal_contact_group, restitution, "", "velocity after an impact to that before",
           MB_OPTIONAL),
    MB_KEY(NUMBER, "mu", dal_contact_group, mu, "", "coefficient of friction", MB_OPTIONAL),
    VALUE("pairs", "contact_pairs", "",
          "pairs of materials: other numbers where these bodies touch; of several that fit the last counts",
          MB_OPTIONAL)};

static const dal_key view_keys[] = {
    MB_KEY_READ(SHAPES, "ground", "", "shapes of the ground", MB_OPTIONAL),
    VALUE("trails", "trails", "",
          "points whose paths are drawn; default: those whose position is an output, at most twelve", MB_OPTIONAL)};
static const dal_key trail_value[] = {
    VALUE("", "string", "", "the name of a body: the origin of its frame", MB_OPTIONAL)};

static const dal_key sweep_keys[] = {
    VALUE("vary", "levels", "", "levels by name: \"A:B:N\", \"log:A:B:N\", \"list:A,B,...\", or a list of numbers",
          MB_OPTIONAL),
    VALUE("random", "words", "", "distributions by name: \"normal(1,0.05)\"", MB_OPTIONAL),
    VALUE("samples", "positive", "", "how many runs of a random design", MB_OPTIONAL),
    VALUE("design", "design", "", "how the runs are spread", MB_OPTIONAL),
    VALUE("seed", "not_negative", "", "of the random numbers", MB_OPTIONAL),
    VALUE("collect", "strings", "", "what to keep of a run", MB_OPTIONAL),
    VALUE("trajectories", "strings", "", "outputs to keep over time", MB_OPTIONAL),
    VALUE("times", "times", "s", "when to keep them", MB_OPTIONAL)};

static const dal_key repetition_keys[] = {
    MB_KEY(TEXT, "repeat", io_repetition, index, "", "name of the index, for expressions and {...} in texts",
           MB_REQUIRED),
    MB_KEY(WHOLE, "from", io_repetition, from, "", "first value", .preset = "1"),
    MB_KEY(WHOLE, "to", io_repetition, to, "", "last value", MB_REQUIRED),
    VALUE("with", "variables", "", "local variables, each of the index and those before it", MB_OPTIONAL),
    VALUE("items", "items", "", "what is repeated", MB_REQUIRED)};

/* ---- all forms -------------------------------------------------------------------------------- */

#define FORM(definition_, what_, text_, keys_)                                             \
    {                                                                                      \
        .what = (what_), .type = {.section = (definition_), .text = (text_), KEYS(keys_) } \
    }
#define PLAIN(definition_, key_) FORM(definition_, NULL, NULL, key_)

static const io_form forms[] = {
    FORM("model", "a model", "The model.", model_keys),
    FORM("part", "a part", "Another model as a part of this one.", part_keys),
    PLAIN("model_input", model_input_value),
    FORM("model_input", "an input", "An input with limits.", model_input_keys),
    FORM("assembly", "the assembly", "Close the mechanism from its initial guess before the start.", assembly_keys),
    FORM("contact_pair", "a pair of materials", "What holds between bodies of two materials.", contact_pair_keys),
    FORM("contact_group", "a contact group", "Bodies that may touch each other, and planes.", contact_group_keys),
    FORM("view", "a view", "What the page of the mechanism shows beside its bodies.", view_keys),
    FORM("sweep", "the sweep", "How dalembert sweep varies the model.", sweep_keys),
    FORM("repetition", "a repetition", "Repetition: the items for each value of the index.", repetition_keys),
    PLAIN("rotation", quaternion_value),
    PLAIN("rotation", angle_value),
    ROTATION(QUATERNION, "quaternion", "a quaternion", "unit quaternion, scalar first", quaternion_keys),
    ROTATION(MATRIX, "matrix", "a matrix", "rows of a rotation matrix", matrix_keys),
    ROTATION(AXIS, "axis", "a rotation about an axis", "axis and angle", axis_keys),
    ROTATION(VECTOR, "vector", "a rotation vector", "rotation vector", vector_keys),
    ROTATION(EULER, "euler", "a sequence of rotations", "rotations about axes of the body, one after the other",
             euler_keys),
    ROTATION(X, "x_along", "a rotation by directions", "the x axis from a point to a point", x_along_keys),
    ROTATION(Y, "y_along", "a rotation by directions", "the y axis from a point to a point", y_along_keys),
    ROTATION(Z, "z_along", "a rotation by directions", "the z axis from a point to a point", z_along_keys),
    PLAIN("frame", origin_value),
    FORM("frame", "a frame", "origin and axes", frame_keys),
    FORM("frame", "a frame", "origin and directions of axes", axes_keys),
    SHAPE(BOX, "box", "a box", "box: three edges", box_keys),
    SHAPE(ELLIPSOID, "ellipsoid", "an ellipsoid", "ellipsoid: three semi-axes", ellipsoid_keys),
    SHAPE(SPHERE, "sphere", "a sphere", "sphere: radius", sphere_keys),
    SHAPE(CYLINDER, "cylinder", "a cylinder", "cylinder: radius, length", cylinder_keys),
    SHAPE(CONE, "cone", "a cone", "cone: radius, length; its tip points along the axis", cone_keys),
    SHAPE(CAPSULE, "capsule", "a capsule", "capsule: radius, length of its cylinder; half spheres at both ends",
          capsule_keys),
    SHAPE(TUBE, "tube", "a tube", "tube along points", tube_keys),
    SHAPE(MESH, "mesh", "a mesh", "mesh: an STL or OBJ file beside the model", mesh_keys),
    PLAIN("trail", trail_value),
    {.what = "a trail", .type = {.section = "trail", .text = "A point of a body.", .place = DAL_PLACE_BODY}},
    PLAIN("inertia", moment_value),
    PLAIN("inertia", moments_value),
    PLAIN("inertia", tensor_value),
    INERTIA(BOX, "box", "box: three edges", solid_box_keys),
    INERTIA(ROD, "rod", "slender rod: length", rod_keys),
    INERTIA(CYLINDER, "cylinder", "cylinder: radius, length", solid_cylinder_keys),
    INERTIA(DISK, "disk", "thin disk: radius", disk_keys),
    INERTIA(SPHERE, "sphere", "solid sphere: radius", solid_sphere_keys),
    FORM("beam", "a beam",
         "A beam from the origin along x. Its section is a rectangle, a circle, a tube, or given by area, Iy, Iz.",
         beam_keys),
    FORM("slender", "a beam",
         "A geometrically exact beam: large displacements and rotations. Section axes: x along it, y and z across. It "
         "is straight "
         "(from, to), a spline (points), an arc or a helix. Its places are bodies: \"blade@0.7\".",
         slender_keys),
    PLAIN("join", join_value),
    FORM("join", "a join", "A body, and how an end of a beam is joined to it.", join_keys),
    FORM("arc", "an arc", "A circle from the start on, towards axis_2.", arc_keys),
    FORM("helix", "a helix", "A helix whose axis is `radius` from the start, along axis_2.", helix_keys),
    FORM("section", "a section",
         "A profile and its material (E, G or nu, density), or stiffnesses and masses per length as numbers or "
         "matrices.",
         section_keys),
    FORM("slide", "a slide",
         "A point of a body that slides along a beam without friction; the beam may end in it, not leave it.",
         slide_keys),
    FORM("line_load", "a load per length", "A load per length on the whole beam.", line_load_keys),
    FORM("modes", "a set of modes",
         "Shapes of a flexible body in the axes of its frame. Nodes are counted from 0; there are as many modes as "
         "numbers in stiffness.",
         modes_keys),
    FORM("fem", "a finite element body",
         "A body from a finite element program: its matrices are reduced to modes when the model is read. `dalembert "
         "reduce` does so once, "
         "for a modes_file. Nodes are counted from 0 unless their file has numbers of its own.",
         fem_keys),
    FORM("fem_matrices", "a pair of matrices", "Files with the matrices of a body.", fem_matrices_keys),
    PLAIN("node_set", node_value),
    FORM("node_set", "a set of nodes", "Nodes that an interface consists of.", node_set_keys),
    FORM("event", "an event", "What happens where a condition becomes true.", event_keys),
    PLAIN("input", input_value),
    {.what = "an input",
     .type = {.section = "input",
              .text = "A coordinate of a joint or between two frames.",
              .place = DAL_PLACE_BODIES_OR_JOINT,
              KEYS(input_keys)}},
    PLAIN("interface", node_value),
    FORM("interface", "a mean of nodes",
         "The weighted mean of several nodes: it moves with the mean of their displacements and turns as fits these "
         "best.",
         mean_keys),
    PLAIN("active", active_value),
    FORM("active", "a span of time", "From the first time on, and no longer at the second.", span_keys)};

enum { NFORMS = sizeof forms / sizeof forms[0] };

const io_form *dal_io_form_at(int k)
{
    static const io_form none = {.what = NULL};
    return k >= 0 && k < NFORMS ? &forms[k] : &none;
}

const io_form *dal_io_form(const char *definition)
{
    int k = 0;
    while (k < NFORMS && (forms[k].what == NULL || strcmp(forms[k].type.section, definition) != 0)) {
        ++k;
    }
    return dal_io_form_at(k);
}
