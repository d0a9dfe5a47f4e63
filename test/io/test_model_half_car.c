/* A half car that brakes: tyres by the magic formula, dampers by a table, bump stops; against its equations of motion by hand. */
#include <math.h>
#include <string.h>

#include "io/text.h"
#include "support/check.h"

/* The chassis moves in a plane, hubs slide along its z axis, wheels turn on them. Springs carry the chassis at first; the tyres just touch. */
static const char car[] =
    "{'dalembert': 1, 'gravity': [0, 0, -9.81],"
    " 'variables': {'a': '1.1 m', 'b': '1.4 m', 'k': '22 kN/m', 'r': '300 mm', 'v': '12 m/s'},"
    " 'functions': {'damper': {'type': 'table', 'x': [-1, -0.2, 0, 0.2, 1], 'y': [-1500, -500, 0, 300, 900], "
    "   'interpolation': 'linear'}, 'stop': '4e5*max(0, x)'},"
    " 'bodies': [{'name': 'chassis', 'mass': '620 kg', 'inertia': [100, 900, 950], 'position': [0, 0, 0.55], "
    "   'velocity': ['v', 0, 0]},"
    "  {'repeat': 'i', 'from': 0, 'to': 1, 'with': {'x': 'if(i < 1, a, -b)'}, 'items': ["
    "   {'name': 'hub{i}', 'mass': '38 kg', 'inertia': 1, 'position': ['x', 0, 'r'], 'velocity': ['v', 0, 0]},"
    "   {'name': 'wheel{i}', 'mass': '12 kg', 'inertia': [0.5, 0.9, 0.5], 'position': ['x', 0, 'r'], 'velocity': ['v', "
    "     0, 0], 'angular_velocity': [0, 'v/r', 0]}]}],"
    " 'joints': [{'name': 'plane', 'type': 'generic', 'body_b': 'chassis', 'locked': ['y', 'rx', 'rz']},"
    "  {'repeat': 'i', 'from': 0, 'to': 1, 'items': ["
    "   {'name': 'guide{i}', 'type': 'prismatic', 'body_a': 'chassis', 'body_b': 'hub{i}', 'axis': [0, 0, 1]},"
    "   {'name': 'bearing{i}', 'type': 'revolute', 'body_a': 'hub{i}', 'body_b': 'wheel{i}', 'axis': [0, 1, 0]}]}],"
    " 'forces': [{'repeat': 'i', 'from': 0, 'to': 1, 'items': ["
    "   {'name': 'strut{i}', 'type': 'law', 'joint': 'guide{i}', 'value': '-k*s - damper(w) - stop(s - 0.03) + "
    "     stop(-s - 0.05) - 310*9.81', 'inputs': {'s': 'guide{i}.coordinate', 'w': 'guide{i}.coordinate_velocity'}},"
    "   {'name': 'tyre{i}', 'type': 'tyre', 'body_b': 'wheel{i}', 'frame_a': [0, 0, 0], 'frame_b': {'axis': [0, 1, "
    "     0]}, 'radius': 'r', 'stiffness': '190 kN/m', 'damping': '100 N*s/m', 'law': 'magic', 'mu': 1, "
    "     'slip_stiffness': [60000, 60000], 'shape_factor': 1.65, 'curvature': 0.2},"
    "   {'name': 'brake{i}', 'type': 'law', 'joint': 'bearing{i}', 'value': '-800*tanh(w)', 'inputs': {'w': "
    "     'bearing{i}.coordinate_velocity'}, 'active': {'from': 0.5}}]}],"
    " 'outputs': [{'name': 'x', 'quantity': 'position', 'body': 'chassis', 'component': 'x'}, {'name': 'z', "
    "   'quantity': 'position', 'body': 'chassis', 'component': 'z'}, 'guide0.coordinate', 'guide1.coordinate', "
    "   'wheel0.angular_velocity', {'name': 'turn', 'quantity': 'angular_velocity', 'body': 'wheel1', 'component': "
    "'y'}],"
    " 'simulation': {'integrator': 'rk', 'step_rtol': 1e-9}}";

enum { X, Z, PITCH, S0, S1, FREE, TURN0 = FREE, TURN1, ALL };
static const double r = 0.3, g = 9.81, place[2] = {1.1, -1.4};
static double brake; /* the torque that is on */

static double damper(double w)
{
    return w < -0.2  ? -500.0 + 1250.0 * (w + 0.2)
           : w < 0.0 ? 2500.0 * w
           : w < 0.2 ? 1500.0 * w
                     : 300.0 + 750.0 * (w - 0.2);
}

static double stop(double x)
{
    return 4e5 * fmax(0.0, x);
}

/* Along the road and up, from the place and velocity of a wheel and its turn. */
static void tyre(double F[2], const double p[2], const double v[2], double turn)
{
    const double C = 1.65, E = 0.2, load = r > p[1] ? fmax(0.0, 190e3 * (r - p[1]) - 100.0 * v[1]) : 0.0;
    const double slip = -60000.0 * (v[0] - r * turn) / hypot(v[0], 0.03 * r), x = load > 0.0 ? slip / (C * load) : 0.0;
    F[0] = load * sin(C * atan(x - E * (x - atan(x))));
    F[1] = load;
}

/* A positive definite system of FREE equations, in place. */
static void solve(double A[FREE][FREE + 1])
{
    for (int k = 0; k < FREE; ++k) {
        for (int i = 0; i < FREE; ++i) {
            const double f = i != k ? A[i][k] / A[k][k] : 0.0;
            for (int j = k; j <= FREE; ++j) {
                A[i][j] -= f * A[k][j];
            }
        }
    }
}

/* Adds a wheel with its hub to the equations of chassis and struts; returns the acceleration of its turn. */
static double add_wheel(double A[FREE][FREE + 1], const double *q, const double *v, int i)
{
    const double c = cos(q[PITCH]), s = sin(q[PITCH]), along = place[i], up = r - 0.55 + q[S0 + i], w = v[PITCH];
    const double arm[2] = {c * along + s * up, -s * along + c * up}; // from the chassis
    double J[2][FREE] = {{1.0, 0.0, arm[1]}, {0.0, 1.0, -arm[0]}}, P[2], V[2] = {0.0}, F[2];
    J[0][S0 + i] = s;
    J[1][S0 + i] = c;
    for (int d = 0; d < 2; ++d) {
        P[d] = q[d] + arm[d];
        for (int k = 0; k < FREE; ++k) {
            V[d] += J[d][k] * v[k];
        }
    }
    // d/dt of J times v: centripetal and Coriolis
    const double rest[2] = {-w * w * arm[0] + 2.0 * w * c * v[S0 + i], -w * w * arm[1] - 2.0 * w * s * v[S0 + i]};
    tyre(F, P, V, v[TURN0 + i]);
    for (int k = 0; k < FREE; ++k) {
        for (int d = 0; d < 2; ++d) {
            A[k][FREE] += J[d][k] * (F[d] - 50.0 * rest[d] - (d == 1 ? 50.0 * g : 0.0));
            for (int j = 0; j < FREE; ++j) {
                A[k][j] += 50.0 * J[d][k] * J[d][j];
            }
        }
    }
    const double x = q[S0 + i], torque = -brake * tanh(v[TURN0 + i] - w);
    A[S0 + i][FREE] += -22e3 * x - damper(v[S0 + i]) - stop(x - 0.03) + stop(-x - 0.05) - 310.0 * g;
    A[PITCH][PITCH] += 1.0;
    A[PITCH][FREE] -= torque;
    return (torque - r * F[0]) / 0.9;
}

static void rate(double *yd, const double *y)
{
    const double *q = y, *v = y + ALL;
    double A[FREE][FREE + 1] = {{0.0}};
    A[X][X] = A[Z][Z] = 620.0;
    A[PITCH][PITCH] = 900.0;
    A[Z][FREE] = -620.0 * g;
    for (int i = 0; i < 2; ++i) {
        yd[ALL + TURN0 + i] = add_wheel(A, q, v, i);
    }
    solve(A);
    for (int k = 0; k < ALL; ++k) {
        yd[k] = v[k];
        yd[ALL + k] = k < FREE ? A[k][FREE] / A[k][k] : yd[ALL + k];
    }
}

/* Runge and Kutta, n steps. */
static void integrate(double *y, double time, int n)
{
    const double h = time / n, c[4] = {0.0, 0.5, 0.5, 1.0}, w[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
    for (int step = 0; step < n; ++step) {
        double k[4][2 * ALL], at[2 * ALL], sum[2 * ALL] = {0.0};
        for (int s = 0; s < 4; ++s) {
            for (int i = 0; i < 2 * ALL; ++i) {
                at[i] = y[i] + (s > 0 ? c[s] * h * k[s - 1][i] : 0.0);
            }
            rate(k[s], at);
            for (int i = 0; i < 2 * ALL; ++i) {
                sum[i] += h * w[s] * k[s][i];
            }
        }
        for (int i = 0; i < 2 * ALL; ++i) {
            y[i] += sum[i];
        }
    }
}

static void a_half_car_brakes(void **state)
{
    double y[2 * ALL] = {[Z] = 0.55, [ALL + X] = 12.0, [ALL + TURN0] = 12.0 / 0.3, [ALL + TURN1] = 12.0 / 0.3};
    double most = 0.0;
    (void)state;
    text_sim o;
    text_sim_open(&o, car, NULL, 0);
    for (int k = 1; k <= 24; ++k) {
        brake = k > 10 ? 800.0 : 0.0;
        integrate(y, 0.05, 500);
        assert_near(text_sim_output(&o, "x", 0.05 * k), y[X], 1e-5);
        assert_near(text_sim_output(&o, "z", 0.0), y[Z], 1e-5);
        assert_near(text_sim_output(&o, "guide0.coordinate", 0.0), y[S0], 1e-5);
        assert_near(text_sim_output(&o, "guide1.coordinate", 0.0), y[S1], 1e-5);
        assert_near(text_sim_output(&o, "turn", 0.0), y[ALL + TURN1], 1e-3);
        most = fmax(most, y[S0]);
    }
    assert_true(most > 0.032);     // the bump stop in front was reached,
    assert_true(y[ALL + X] < 8.0); // and the car slowed down
    text_sim_close(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_half_car_brakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
