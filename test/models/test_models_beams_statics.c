/* Equilibria of cantilevers against exact solutions and the strong form (BM.2) integrated by shooting: a test for each reference
 * case, to the digits that independent computations of it share. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "beam_cases.h"

#define UNIT_MASS "[[1,0,0,0,0,0],[0,1,0,0,0,0],[0,0,1,0,0,0],[0,0,0,1,0,0],[0,0,0,0,1,0],[0,0,0,0,0,1]]"
#define DIAGONAL(a, b, c, d, e, f)                                                                                   \
    "[[" #a ",0,0,0,0,0],[0," #b ",0,0,0,0],[0,0," #c ",0,0,0],[0,0,0," #d ",0,0],[0,0,0,0," #e ",0],[0,0,0,0,0," #f \
    "]]"
#define COMPOSITE                                                                                                 \
    "[[1368170,0,0,0,0,0],[0,88560,0,0,0,0],[0,0,38780,0,0,0],[0,0,0,16960,17610,-351],[0,0,0,17610,59120,-370]," \
    "[0,0,0,-351,-370,141470]]"
#define ARC "'arc': {'radius': 100, 'angle': 'pi/4'}"

/* A beam from the origin along x, curving to +y; quaternion and moment at the clamp: zero where the case has none. carried: the force at
 * the clamp, where it is not that at the tip. */
typedef struct reference {
    const char *name;
    int elements, order, digits;
    const char *curve, *stiffness;
    double force[3], torque[3], tip[3], quaternion[4], moment[3], carried[3];
} reference;

static reference references[] = {
    {"rollup", 8, 1, 14, "'to': [10, 0, 0]", DIAGONAL(10000, 10000, 10000, 500, 500, 500),
     .torque = {0.0, 0.0, 314.15926535897933}, .tip = {0.0, 0.0, 0.0}},
    {"unroll_half", 8, 1, 14, "'arc': {'radius': '5/pi', 'angle': '2*pi'}", DIAGONAL(1200, 600, 600, 100, 100, 100),
     .torque = {0.0, 0.0, -31.415926535897931}, .tip = {0.0, 6.366197723675814, 0.0}},
    {"helix_from_straight_GJ_10000", 12, 1, 14, "'to': [135.24558048876486, 0, 0]",
     DIAGONAL(1000000, 1000000, 1000000, 10000, 10000, 10000), .torque = {343.50550687877217, 0.0, 863.32350150239085},
     .tip = {18.484892378480971, 0.0, 46.45760167890694}},
    {"elastica_1", 8, 8, 14, "'to': [1, 0, 0]", DIAGONAL(1e6, 1e6, 1e6, 1, 1, 1), .force = {0.0, 1, 0.0},
     .tip = {0.94356676371662307, 0.30172177379981352, 0.0},
     .quaternion = {0.97351206548895275, 0.0, 0.0, 0.22863564539990924}, .moment = {0.0, 0.0, 0.94356676371662307}},
    {"elastica_5", 8, 8, 14, "'to': [1, 0, 0]", DIAGONAL(1e6, 1e6, 1e6, 1, 1, 1), .force = {0.0, 5, 0.0},
     .tip = {0.61237163927557015, 0.71379652361191281, 0.0},
     .quaternion = {0.8209725458847611, 0.0, 0.0, 0.57096766887757644}, .moment = {0.0, 0.0, 3.0618581963778508}},
    {"elastica_16", 8, 8, 14, "'to': [1, 0, 0]", DIAGONAL(1e6, 1e6, 1e6, 1, 1, 1), .force = {0.0, 16, 0.0},
     .tip = {0.35322741488310044, 0.85276297834808867, 0.0},
     .quaternion = {0.72824682460621448, 0.0, 0.0, 0.68531493669039889}, .moment = {0.0, 0.0, 5.6516386381296071}},
    {"bathe_bolourchi_GJ8.333e5_300", 6, 8, 12, ARC, DIAGONAL(10000000, 4166670, 4166670, 833300, 833300, 833300),
     .force = {0.0, 0.0, 300}, .tip = {58.778313861462529, 22.24434154586783, 40.1932664427025},
     .quaternion = {0.85039580543410864, 0.049399355374378923, -0.39826686305752507, 0.34025017792646089},
     .moment = {6673.3024637603648, -17633.49415843876, 0.0}},
    {"bathe_bolourchi_GJ8.333e5_600", 6, 8, 12, ARC, DIAGONAL(10000000, 4166670, 4166670, 833300, 833300, 833300),
     .force = {0.0, 0.0, 600}, .tip = {47.149381332940067, 15.684298871700557, 53.476108140280672},
     .quaternion = {0.78339211652272456, 0.061764586751214219, -0.54419396411759247, 0.2938279377654176},
     .moment = {9410.5793230203089, -28289.628799764054, 0.0}},
    {"bathe_bolourchi_J0.1406_450", 6, 8, 12, ARC,
     DIAGONAL(10000000, 4166666.6666666665, 4166666.6666666665, 703000, 833333.33333333337, 833333.33333333337),
     .force = {0.0, 0.0, 450}, .tip = {51.969699388188026, 18.3693139448975, 48.705140755588246},
     .quaternion = {0.80663251307764416, 0.076640152395798272, -0.48816626826923337, 0.32428994805711125},
     .moment = {8266.19127520388, -23386.364724684616, 0.0}},
    {"composite", 6, 8, 13, "'to': [10, 0, 0]", COMPOSITE, .force = {0.0, 0.0, 150},
     .tip = {9.9097273372433623, -0.064748848625955466, 1.2297364829236288},
     .quaternion = {0.99174343992578828, 0.091773329784957752, -0.089536036332213451, 0.0024297123826359473},
     .moment = {-9.712327293893301, -1486.4591005865047, 0.0}},
    {"nachbagauer", 6, 8, 13, "'to': [2, 0, 0]",
     DIAGONAL(10350000000, 3382352941.1764708, 3382352941.1764708, 10000000, 10000000, 215625000),
     .force = {0.0, -62500000, 0.0}, .tip = {1.8490288557607069, -0.71056859785361681, 0.0},
     .quaternion = {0.96636771570529811, 0.0, 0.0, -0.25716422387751375}, .moment = {0.0, 0.0, -115564303.48504426}},
    {"uniform_dead_load", 6, 8, 12, "'to': [10, 0, 0], 'loads': [{'vector': [0, -2, 0.5]}]",
     DIAGONAL(10000, 10000, 10000, 100, 100, 100), .tip = {4.3684572004135225, -8.0989050963961482, 2.0247262740990304},
     .quaternion = {0.78095675503723383, 0.0, -0.1514841375430428, -0.60593655017217329},
     .moment = {0.0, -14.220500251745815, -56.882001006983266}, .carried = {0.0, -20.0, 5.0}},
    {"locking_10", 6, 8, 10, ARC,
     DIAGONAL(1000000000, 500000000, 500000000, 8333333333.333334, 8333333333.333334, 8333333333.333334),
     .force = {0.0, 0.0, 6000000}, .tip = {47.065665642186275, 15.657247969137339, 54.095027011161314}},
    {"locking_1000", 6, 8, 10, ARC,
     DIAGONAL(100000.00000000001, 50000.000000000007, 50000.000000000007, 83.333333333333371, 83.333333333333371,
              83.333333333333371),
     .force = {0.0, 0.0, 0.06}, .tip = {47.151285842084619, 15.685075385943984, 53.468661045425982}},
};

static double size3(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static void solve(double y[13], const char *curve, const char *stiffness, const beam_case *c)
{
    char keys[60000];
    assert_true(snprintf(keys, sizeof keys, "%s, 'section': {'stiffness': %s, 'mass': " UNIT_MASS "}", curve,
                         stiffness) < (int)sizeof keys);
    beam_case whole = *c;
    whole.keys = keys;
    beam_equilibrium(y, &whole);
}

/* Section forces are polynomials through the points of Gauss: where the beam is clamped they have the digits of the reference with 48
 * elements of order 8, and no more than what rounding of places leaves of EA. */
static void the_clamp_carries_what_it_should(const reference *r, beam_case *c)
{
    const double tol = fmax(pow(10.0, -r->digits), 1e-13), *carried = size3(r->carried) > 0.0 ? r->carried : r->force;
    double y[13], EA;
    c->elements = 48;
    assert_int_equal(sscanf(r->stiffness, "[[%lf", &EA), 1);
    solve(y, r->curve, r->stiffness, c);
    assert_all_near(y + 7, carried, 3, fmax(tol * size3(carried), 2e-15 * EA));
    assert_all_near(y + 10, r->moment, 3, tol * size3(r->moment));
}

/* Digits count in a unit of the size of the beam. */
static void equilibrium_has_the_digits_of_its_reference(void **state)
{
    const reference *r = *state;
    double y[13];
    beam_case c = {.elements = r->elements, .order = r->order};
    memcpy(c.force, r->force, sizeof c.force);
    memcpy(c.torque, r->torque, sizeof c.torque);
    solve(y, r->curve, r->stiffness, &c);
    const double tol = pow(10.0, -r->digits), size = fmax(size3(r->tip), 1.0);
    const double off[3] = {fabs(y[0] - r->tip[0]), fabs(y[1] - r->tip[1]), fabs(y[2] - r->tip[2])};
    print_message("%s: %d elements of order %d, %.1e of %.1e\n", r->name, r->elements, r->order, size3(off) / size,
                  tol);
    assert_all_near(y, r->tip, 3, tol * size);
    if (r->quaternion[0] != 0.0) {
        assert_all_near(y + 3, r->quaternion, 4, tol);
        the_clamp_carries_what_it_should(r, &c);
    }
}

/* Forces in directions of 0, 15, ... 90 degrees against the strong axis; displacements of the tip. */
static struct princeton {
    const char *name, *stiffness;
    double P, u[7][3];
} princeton[] = {
    {"princeton_P1_k56",
     DIAGONAL(2842069.4426160003, 903966.10770229017, 903966.10770229017, 2.9257440677494264, 2.4288718041122013,
              36.285519395400414),
     4.448,
     {{-3.390296101146717e-05, -0.0053586359022065027, 0.0},
      {-0.0005441851198488834, -0.0052116250992164216, -0.020808474192343947},
      {-0.0019179558176736222, -0.00475796588481415, -0.0399600693468861},
      {-0.0037482422308253716, -0.0039767276794096086, -0.056063786121379536},
      {-0.0055277334293027947, -0.0028743666111839621, -0.068132291816666232},
      {-0.0067997920312508064, -0.0015107323043269333, -0.075569414441981217},
      {-0.0072591571715483472, 0.0, -0.0780776626884962}}},
    {"princeton_P2_k56",
     DIAGONAL(2842069.4426160003, 903966.10770229017, 903966.10770229017, 2.9257440677494264, 2.4288718041122013,
              36.285519395400414),
     8.896,
     {{-0.00013553433919488711, -0.010713597117348473, 0.0},
      {-0.0022484980186882053, -0.010644384449613332, -0.0421926571990218},
      {-0.0076810473457779027, -0.010208331138572325, -0.079547763937352578},
      {-0.014411947881053933, -0.008979779162222052, -0.10911363656416635},
      {-0.020486881375693822, -0.0067424535354369724, -0.1299584715094462},
      {-0.024586255297678383, -0.0036221896670431131, -0.14221883513594313},
      {-0.026021681474436953, 0.0, -0.1462530396245231}}},
    {"princeton_P2_k1",
     DIAGONAL(2842069.4426160003, 1084759.3292427482, 1084759.3292427482, 2.9257440677494264, 2.4288718041122013,
              36.285519395400414),
     8.896,
     {{-0.000135516792558521, -0.010712764794308098, 0.0},
      {-0.0022484638421924608, -0.010643581435625922, -0.042192448630412646},
      {-0.00768097210520835, -0.010207613789050952, -0.079547377120291918},
      {-0.014411824833467257, -0.0089791967227025177, -0.10911311525516448},
      {-0.020486717758923967, -0.00674204415067656, -0.12995785888754291},
      {-0.024586065535330659, -0.0036219787058085332, -0.14221816989506361},
      {-0.026021482773110671, 0.0, -0.14625235720096033}}},
};

static void the_princeton_beam_bends_and_twists(void **state)
{
    const struct princeton *p = *state;
    for (int k = 0; k < 7; ++k) {
        const double angle = k * acos(-1.0) / 12.0;
        double y[13];
        solve(y, "'to': [0.508, 0, 0]", p->stiffness,
              &(beam_case){6, 8, NULL, .force = {0.0, -p->P * cos(angle), -p->P * sin(angle)}});
        assert_all_near(y, ((double[]){0.508 + p->u[k][0], p->u[k][1], p->u[k][2]}), 3, 1e-13); // of 0.1
    }
}

/* What is often published for the 45 degree bend belongs to the parabola through three of its points. */
static void the_bend_that_is_a_parabola_has_the_published_digits(void **state)
{
    (void)state;
    enum { N = 400 };
    static const double x1 = 38.2683, y1 = -7.61205, x2 = 70.7107, y2 = -29.2893;
    const double b = (y2 / x2 - y1 / x1) / (x2 - x1), a = y1 / x1 - b * x1;
    char curve[50000];
    double y[13];
    int n = snprintf(curve, sizeof curve, "'axis_2': [0, 1, 0], 'points': [");
    for (int k = 0; k <= N; ++k) {
        const double x = x2 * k / N;
        n +=
            snprintf(curve + n, sizeof curve - (size_t)n, "%s[%.17g, %.17g, 0]", k > 0 ? ", " : "", x, (a + b * x) * x);
    }
    n += snprintf(curve + n, sizeof curve - (size_t)n, "]");
    assert_true(n < (int)sizeof curve);
    solve(y, curve, DIAGONAL(1e7, 4166670, 4166670, 833300, 833300, 833300),
          &(beam_case){4, 8, NULL, .force = {0.0, 0.0, 600.0}});
    const double want[3] = {x2 - 23.645971600905, y2 + 13.720800604006, 53.577645062699};
    print_message("off by %.1e %.1e %.1e\n", y[0] - want[0], y[1] - want[1], y[2] - want[2]);
    assert_all_near(y, want, 3, 1e-11);
}

enum { N_REFERENCES = LEN(references), N_PRINCETON = LEN(princeton) };

int main(void)
{
    struct CMUnitTest tests[N_REFERENCES + N_PRINCETON + 1] = {
        cmocka_unit_test(the_bend_that_is_a_parabola_has_the_published_digits)};
    for (int k = 0; k < N_REFERENCES; ++k) {
        tests[1 + k] = (struct CMUnitTest){.name = references[k].name,
                                           .test_func = equilibrium_has_the_digits_of_its_reference,
                                           .initial_state = &references[k]};
    }
    for (int k = 0; k < N_PRINCETON; ++k) {
        tests[1 + N_REFERENCES + k] = (struct CMUnitTest){.name = princeton[k].name,
                                                          .test_func = the_princeton_beam_bends_and_twists,
                                                          .initial_state = &princeton[k]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
