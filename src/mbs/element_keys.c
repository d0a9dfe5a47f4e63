/* Keys of joints, forces and functions. */
#include "mbs/keys.h"

#define LEN(list) ((int)(sizeof(list) / sizeof *(list)))

/* ---- joints ----------------------------------------------------------------------------------- */

static const char *const directions[] = {"x", "y", "z", "rx", "ry", "rz", NULL};

static const dal_key screw_keys[] = {
    MB_KEY(NUMBER, "pitch", dal_joint, pitch, "m", "displacement per turn", MB_OPTIONAL)};
static const dal_key distance_keys[] = {
    MB_KEY(NUMBER, "length", dal_joint, length, "m", "default: the initial distance", MB_OPTIONAL)};
static const dal_key generic_keys[] = {
    MB_KEY(CHOICES, "locked", dal_joint, locked, "", "what is held", MB_REQUIRED, .words = directions)};
static const dal_key motion_keys[] = {
    MB_COORDINATE_KEY(dal_joint, "which coordinate"),
    MB_KEY(FUNCTION, "function", dal_joint, function, "m or rad", "its value over time", MB_REQUIRED)};
static const dal_key gear_keys[] = {
    MB_KEY(TEXT, "joint_1", dal_joint, joint_1, "", "first joint", MB_REQUIRED),
    MB_KEY(TEXT, "joint_2", dal_joint, joint_2, "", "second joint", MB_REQUIRED),
    MB_KEY(COORDINATE, "coordinate_1", dal_joint, coordinate_1, "", "of the first joint",
           .second = offsetof(dal_joint, axis_1)),
    MB_KEY(COORDINATE, "coordinate_2", dal_joint, coordinate_2, "", "of the second joint",
           .second = offsetof(dal_joint, axis_2)),
    MB_KEY(NUMBERS, "ratio", dal_joint, ratio, "", "factors of the two coordinates", MB_REQUIRED, .n = 2)};
static const dal_key rolling_keys[] = {
    MB_KEY(NUMBER, "radius", dal_joint, radius, "m", "must be positive", MB_OPTIONAL)};
static const dal_key pfaffian_keys[] = {
    MB_KEY_READ(BODIES, "bodies", "", "names of the bodies, one or two", MB_REQUIRED),
    MB_KEY_READ(
        ROWS, "rows", "",
        "6 coefficients per body, then b if it is not zero; expressions may use t and the positions x1, y1, z1, "
        "x2, y2, z2",
        MB_REQUIRED)};

static const dal_element_type joints[] = {
    {.section = "joints", .name = "spherical", .text = "Both frames have the same origin.", .place = DAL_PLACE_BODIES},
    {.section = "joints", .name = "revolute", .text = "B turns about the z axis of A.", .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "universal",
     .text = "Same origin, the x axis of A normal to the y axis of B.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints", .name = "prismatic", .text = "B slides along the z axis of A.", .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "cylindrical",
     .text = "B slides along and turns about the z axis of A.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "planar",
     .text = "B moves in the x-y plane of A and turns about its z axis.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints", .name = "fixed", .text = "Both frames are the same.", .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "screw",
     .text = "Turns about and slides along z: displacement = pitch/(2 pi) angle.",
     .place = DAL_PLACE_BODIES,
     .keys = screw_keys,
     .nkeys = sizeof screw_keys / sizeof *screw_keys},
    {.section = "joints",
     .name = "distance",
     .text = "Two points keep their distance.",
     .place = DAL_PLACE_ENDS,
     .keys = distance_keys,
     .nkeys = sizeof distance_keys / sizeof *distance_keys},
    {.section = "joints",
     .name = "point_on_line",
     .text = "The origin of B stays on the z axis of A.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "point_on_plane",
     .text = "The origin of B stays in the x-y plane of A.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "orientation",
     .text = "The axes of B stay parallel to those of A.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "parallel_axes",
     .text = "The z axes of A and B stay parallel.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "generic",
     .text = "Holds what it is told to hold, in the axes of frame A.",
     .place = DAL_PLACE_BODIES,
     .keys = generic_keys,
     .nkeys = sizeof generic_keys / sizeof *generic_keys},
    {.section = "joints",
     .name = "planar_revolute",
     .text = "Bodies in the x-y plane: both frames have the same origin.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "planar_prismatic",
     .text = "Bodies in the x-y plane: B slides along the x axis of A.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "planar_fixed",
     .text = "Bodies in the x-y plane: both frames are the same.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "motion",
     .text = "A coordinate follows a function of time.",
     .place = DAL_PLACE_BODIES_OR_JOINT,
     .keys = motion_keys,
     .nkeys = sizeof motion_keys / sizeof *motion_keys},
    {.section = "joints",
     .name = "gear",
     .text = "ratio[0] c_1 + ratio[1] c_2 = constant, for coordinates of two joints.",
     .place = DAL_PLACE_NONE,
     .keys = gear_keys,
     .nkeys = sizeof gear_keys / sizeof *gear_keys},
    {.section = "joints",
     .name = "rolling_disk",
     .text = "A disk about z of frame B rolls without slip on the x-y plane of A.",
     .place = DAL_PLACE_BODIES,
     .keys = rolling_keys,
     .nkeys = sizeof rolling_keys / sizeof *rolling_keys},
    {.section = "joints",
     .name = "rolling_sphere",
     .text = "A sphere around frame B rolls without slip on the x-y plane of A.",
     .place = DAL_PLACE_BODIES,
     .keys = rolling_keys,
     .nkeys = sizeof rolling_keys / sizeof *rolling_keys},
    {.section = "joints",
     .name = "wheel",
     .text = "The velocity rows of rolling_disk alone; its height is held elsewhere.",
     .place = DAL_PLACE_BODIES,
     .keys = rolling_keys,
     .nkeys = sizeof rolling_keys / sizeof *rolling_keys},
    {.section = "joints",
     .name = "knife_edge",
     .text = "The origin of B does not move along its y axis.",
     .place = DAL_PLACE_BODIES},
    {.section = "joints",
     .name = "pfaffian",
     .text = "Rows A v + b = 0 in the velocities of one or two bodies.",
     .place = DAL_PLACE_NONE,
     .keys = pfaffian_keys,
     .nkeys = sizeof pfaffian_keys / sizeof *pfaffian_keys},
};

dal_element_type mb_joint_about(int k)
{
    return k < LEN(joints) ? joints[k] : (dal_element_type){0};
}

/* ---- forces ----------------------------------------------------------------------------------- */

static const dal_key load_keys[] = {
    MB_KEY(VECTOR, "vector", dal_force, vector, "N or N m", "what acts", MB_REQUIRED),
    MB_KEY(FLAG, "follower", dal_force, follower, "", "in the axes of the frame instead of the world", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", dal_force, function, "", "factor over time", MB_OPTIONAL)};
static const dal_key drag_keys[] = {
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m", "linear in the velocity", MB_OPTIONAL),
    MB_KEY(NUMBER, "quadratic", dal_force, quadratic, "N s^2/m^2", "in its square", MB_OPTIONAL)};
static const dal_key spring_keys[] = {
    MB_COORDINATE_KEY(dal_force, "default: length"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m or N m/rad", "linear", MB_OPTIONAL),
    MB_KEY(NUMBER, "cubic", dal_force, cubic, "N/m^3 or N m/rad^3", "cubic", MB_OPTIONAL),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m or N m s/rad", "linear", MB_OPTIONAL),
    MB_KEY(FUNCTION, "characteristic", dal_force, characteristic, "N or N m", "of the elongation", MB_OPTIONAL),
    MB_KEY(NUMBER, "reference", dal_force, reference, "m or rad", "coordinate at rest", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", dal_force, function, "m or rad", "coordinate at rest over time, instead of reference",
           MB_OPTIONAL)};
static const dal_key pd_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m or N m/rad", "gain", MB_OPTIONAL),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m or N m s/rad", "gain of the rate", MB_OPTIONAL),
    MB_KEY(FUNCTION, "function", dal_force, function, "m or rad", "the value asked for", MB_REQUIRED)};
static const dal_key pid_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "stiffness", dal_force, stiffness, "N/m or N m/rad", "gain", MB_OPTIONAL),
    MB_KEY(NUMBER, "damping", dal_force, damping, "N s/m or N m s/rad", "gain of the rate", MB_OPTIONAL),
    MB_KEY(NUMBER, "integral", dal_force, integral, "N/(m s) or N m/(rad s)", "gain of the integral", MB_REQUIRED),
    MB_KEY(FUNCTION, "function", dal_force, function, "m or rad", "the value asked for", MB_REQUIRED)};
static const dal_key actuator_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(FUNCTION, "function", dal_force, function, "N or N m", "positive: increases the coordinate", MB_REQUIRED)};
static const dal_key bushing_keys[] = {
    MB_KEY(NUMBERS, "stiffness", dal_force, stiffness6, "N/m, N m/rad", "three translations, three rotations",
           MB_REQUIRED, .n = 6),
    MB_KEY(NUMBERS, "damping", dal_force, damping6, "N s/m, N m s/rad", "likewise", MB_OPTIONAL, .n = 6)};
static const dal_key friction_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY(NUMBER, "mu", dal_force, mu, "", "coefficient of friction", MB_REQUIRED),
    MB_KEY(NUMBER, "radius", dal_force, radius, "m", "lever of the friction, for rotations", .preset = "1"),
    MB_KEY(NUMBER, "slip", dal_force, slip, "m/s or rad/s", "velocity at which friction is nearly full", MB_REQUIRED)};
static const dal_key law_keys[] = {
    MB_COORDINATE_KEY(dal_force, "which coordinate"),
    MB_KEY_READ(EXPRESSION, "value", "N or N m", "expression of t, of the inputs and of variables", MB_REQUIRED),
    MB_KEY_READ(INPUTS, "inputs", "", "inputs by name", MB_OPTIONAL)};
static const dal_key state_keys[] = {
    MB_KEY(NUMBER, "initial", dal_force, initial, "", "x at the start", .preset = "0"),
    MB_KEY_READ(EXPRESSION, "value", "", "its rate: expression of t, of the inputs and of variables", MB_REQUIRED),
    MB_KEY_READ(INPUTS, "inputs", "", "inputs by name", MB_OPTIONAL)};
static const dal_key cartesian_keys[] = {
    MB_KEY(NUMBERS, "stiffness", dal_force, stiffness6, "N/m", "along x, y, z of the world", MB_REQUIRED, .n = 3),
    MB_KEY(NUMBERS, "damping", dal_force, damping6, "N s/m", "likewise", MB_OPTIONAL, .n = 3),
    MB_KEY(VECTOR, "reference", dal_force, vector, "m", "p_B - p_A at rest", .preset = "[0, 0, 0]")};

static const dal_element_type forces[] = {
    {.section = "forces",
     .name = "force",
     .text = "A force on a body.",
     .place = DAL_PLACE_BODY,
     .keys = load_keys,
     .nkeys = sizeof load_keys / sizeof *load_keys},
    {.section = "forces",
     .name = "torque",
     .text = "A torque on a body.",
     .place = DAL_PLACE_BODY,
     .keys = load_keys,
     .nkeys = sizeof load_keys / sizeof *load_keys},
    {.section = "forces",
     .name = "spring",
     .text = "Stiffness e + cubic e^3 + characteristic(e) + damping e', e = coordinate - reference.",
     .place = DAL_PLACE_BODIES_OR_JOINT,
     .keys = spring_keys,
     .nkeys = sizeof spring_keys / sizeof *spring_keys},
    {.section = "forces",
     .name = "bushing",
     .text = "Six springs along and about the axes of frame A.",
     .place = DAL_PLACE_BODIES,
     .keys = bushing_keys,
     .nkeys = sizeof bushing_keys / sizeof *bushing_keys},
    {.section = "forces",
     .name = "actuator",
     .text = "function(t) along a coordinate.",
     .place = DAL_PLACE_BODIES_OR_JOINT,
     .keys = actuator_keys,
     .nkeys = sizeof actuator_keys / sizeof *actuator_keys},
    {.section = "forces",
     .name = "pd",
     .text = "-stiffness (c - f(t)) - damping (c' - f'(t)) along a coordinate c.",
     .place = DAL_PLACE_BODIES_OR_JOINT,
     .keys = pd_keys,
     .nkeys = sizeof pd_keys / sizeof *pd_keys},
    {.section = "forces",
     .name = "pid",
     .text = "-stiffness (c - f(t)) - damping (c' - f'(t)) - integral s along a coordinate c, s the integral of c - f "
             "from the start on.",
     .place = DAL_PLACE_BODIES_OR_JOINT,
     .keys = pid_keys,
     .nkeys = sizeof pid_keys / sizeof *pid_keys},
    {.section = "forces",
     .name = "law",
     .text = "An expression of time and of inputs, along a coordinate (positive: increases it).",
     .place = DAL_PLACE_BODIES_OR_JOINT,
     .keys = law_keys,
     .nkeys = sizeof law_keys / sizeof *law_keys},
    {.section = "forces",
     .name = "drag",
     .text = "-(damping + quadratic |v|) v at a point with velocity v.",
     .place = DAL_PLACE_BODY,
     .keys = drag_keys,
     .nkeys = sizeof drag_keys / sizeof *drag_keys},
    {.section = "forces",
     .name = "friction",
     .text = "Regularised Coulomb friction in a joint: mu radius N tanh(c'/slip), N its reaction force.",
     .place = DAL_PLACE_JOINT,
     .keys = friction_keys,
     .nkeys = sizeof friction_keys / sizeof *friction_keys},
    {.section = "forces",
     .name = "cartesian",
     .text = "Springs and dampers along the axes of the world, by components of p_B - p_A.",
     .place = DAL_PLACE_BODIES,
     .keys = cartesian_keys,
     .nkeys = sizeof cartesian_keys / sizeof *cartesian_keys},
    {.section = "forces",
     .name = "state",
     .text = "No force but a state x of its own, x' = value, as an input of laws and states.",
     .place = DAL_PLACE_NONE,
     .keys = state_keys,
     .nkeys = sizeof state_keys / sizeof *state_keys},
};

dal_element_type mb_force_about(int k)
{
    return k < LEN(forces) ? forces[k] : (dal_element_type){0};
}

/* ---- functions -------------------------------------------------------------------------------- */

static const char *const interpolations[] = {"cubic", "linear", "periodic", NULL}; // as in dal_interpolation

static const dal_key constant_keys[] = {MB_KEY_READ(COEFFICIENT, "value", "", "the constant", MB_REQUIRED)};
static const dal_key harmonic_keys[] = {
    MB_KEY_READ(COEFFICIENT, "offset", "", "mean value", .preset = "0"),
    MB_KEY_READ(COEFFICIENT, "amplitude", "", "amplitude", MB_REQUIRED, .n = 1),
    MB_KEY_READ(COEFFICIENT, "omega", "rad/s", "angular frequency", MB_REQUIRED, .n = 2),
    MB_KEY_READ(COEFFICIENT, "phase", "rad", "angle at x = 0", .preset = "0", .n = 3)};
static const dal_key step_keys[] = {MB_KEY_READ(COEFFICIENT, "from", "", "value before", MB_REQUIRED),
                                    MB_KEY_READ(COEFFICIENT, "to", "", "value after", MB_REQUIRED, .n = 1),
                                    MB_KEY_READ(COEFFICIENT, "start", "", "where it begins", MB_REQUIRED, .n = 2),
                                    MB_KEY_READ(COEFFICIENT, "end", "", "where it ends", MB_REQUIRED, .n = 3)};
static const dal_key polynomial_keys[] = {MB_KEY_READ(LIST, "coefficients", "", "lowest first", MB_REQUIRED)};
static const dal_key table_keys[] = {
    MB_KEY_READ(COLUMN, "x", "", "increasing; of a file: name or number of the column, default 1", MB_OPTIONAL),
    MB_KEY_READ(COLUMN, "y", "", "values; of a file: name or number of the column, default 2", MB_OPTIONAL),
    MB_KEY_READ(FILE, "file", "", "text file with the columns, in the folder of the model", MB_OPTIONAL),
    MB_KEY(CHOICE, "interpolation", dal_function, interpolation, "",
           "cubic: natural spline; linear; both go straight on outside; periodic: a spline that repeats itself",
           .words = interpolations, .preset = "\"cubic\"")};
static const dal_key terms_keys[] = {MB_KEY_READ(FUNCTIONS, "functions", "", "the functions", MB_REQUIRED)};

static const dal_element_type functions[] = {
    {.section = "functions",
     .name = "constant",
     .text = "value",
     .place = DAL_PLACE_NONE,
     .keys = constant_keys,
     .nkeys = sizeof constant_keys / sizeof *constant_keys},
    {.section = "functions",
     .name = "harmonic",
     .text = "offset + amplitude sin(omega x + phase)",
     .place = DAL_PLACE_NONE,
     .keys = harmonic_keys,
     .nkeys = sizeof harmonic_keys / sizeof *harmonic_keys},
    {.section = "functions",
     .name = "polynomial",
     .text = "coefficients[0] + coefficients[1] x + ...",
     .place = DAL_PLACE_NONE,
     .keys = polynomial_keys,
     .nkeys = sizeof polynomial_keys / sizeof *polynomial_keys},
    {.section = "functions",
     .name = "step",
     .text = "from before start, to after end, smooth (twice differentiable) between",
     .place = DAL_PLACE_NONE,
     .keys = step_keys,
     .nkeys = sizeof step_keys / sizeof *step_keys},
    {.section = "functions",
     .name = "ramp",
     .text =
         "from before start, to after end, linear between; the velocity of a motion jumps where a ramp begins and ends",
     .place = DAL_PLACE_NONE,
     .keys = step_keys,
     .nkeys = sizeof step_keys / sizeof *step_keys},
    {.section = "functions",
     .name = "table",
     .text = "through points, in the model or in a text file",
     .place = DAL_PLACE_NONE,
     .keys = table_keys,
     .nkeys = sizeof table_keys / sizeof *table_keys,
     .one_of = "x y|file"},
    {.section = "functions",
     .name = "sum",
     .text = "sum of functions",
     .place = DAL_PLACE_NONE,
     .keys = terms_keys,
     .nkeys = sizeof terms_keys / sizeof *terms_keys},
    {.section = "functions",
     .name = "product",
     .text = "product of functions",
     .place = DAL_PLACE_NONE,
     .keys = terms_keys,
     .nkeys = sizeof terms_keys / sizeof *terms_keys},
};

dal_element_type mb_function_about(int k)
{
    return k < LEN(functions) ? functions[k] : (dal_element_type){0};
}
