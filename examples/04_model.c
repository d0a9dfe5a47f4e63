/* A model from bodies, joints, forces and outputs: a cart slides along x on a rail, held by a spring; a bar swings
 * below it. Prints where the cart is, the angle of the bar and the force in the hinge. */
#include <dalembert/dalembert.h>
#include <math.h>
#include <stdio.h>

static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, origin[3] = {0.0, 0.0, 0.0};

/* A joint given by a point and an axis in the world, at the initial positions of its bodies. */
static dal_status join(dal_model *m, const char *name, const char *type, int a, int b, const double *axis)
{
    const dal_frame world = dal_frame_on_axis(origin, axis, NULL); // its z axis is the axis of the joint
    dal_joint joint = {.name = name, .type = type, .body_a = a, .body_b = b};
    DAL_TRY(dal_model_frame_at(m, &joint.frame_a, a, &world));
    DAL_TRY(dal_model_frame_at(m, &joint.frame_b, b, &world));
    return dal_model_add_joint(m, NULL, &joint);
}

static dal_status build(dal_model *m)
{
    // the bar is 1 m long; its centre of mass is the origin of its frame, half a metre below the cart
    const dal_body cart = {.name = "cart", .mass = 2.0, .inertia = {0.1, 0.1, 0.1}, .velocity = {0.5, 0.0, 0.0}};
    const dal_body bar = {.name = "bar",
                          .mass = 1.0,
                          .inertia = {1.0 / 12.0, 1.0 / 12.0, 1e-3}, // about x, y, z
                          .position = {0.0, 0.0, -0.5},
                          .velocity = {0.5, 0.0, 0.0}};
    int c, b;
    DAL_TRY(dal_model_set_gravity(m, (double[3]){0.0, 0.0, -9.81}));
    DAL_TRY(dal_model_add_body(m, &c, &cart));
    DAL_TRY(dal_model_add_body(m, &b, &bar));
    DAL_TRY(join(m, "rail", "prismatic", DAL_GROUND, c, x));
    DAL_TRY(join(m, "hinge", "revolute", c, b, y));
    // along the coordinate of the rail: 40 N/m, at rest at 0.1 m
    DAL_TRY(dal_model_add_force(
        m, NULL,
        &(dal_force){.name = "spring", .type = "spring", .joint = "rail", .stiffness = 40.0, .reference = 0.1}));
    DAL_TRY(dal_model_add_output(m, NULL, &(dal_output){.name = "cart", .quantity = "coordinate", .joint = "rail"}));
    DAL_TRY(dal_model_add_output(m, NULL, &(dal_output){.name = "angle", .quantity = "coordinate", .joint = "hinge"}));
    DAL_TRY(dal_model_add_output(m, NULL, &(dal_output){.name = "force", .quantity = "force", .joint = "hinge"}));
    return dal_model_add_output(m, NULL, &(dal_output){.name = "energy", .quantity = "energy"});
}

static dal_status simulate(dal_ctx *ctx, dal_model *m, dal_sim **sim, double *drift)
{
    const dal_system *sys;
    double out[6], first = 0.0; // cart, angle, force (3), energy: dal_model_output_size numbers
    DAL_TRY(dal_model_compile(m, &sys));
    DAL_TRY(dal_sim_create(sim, ctx, sys, NULL));
    DAL_TRY(dal_sim_start(*sim, NULL, 0.0, dal_model_q0(m), dal_model_v0(m)));
    for (int k = 0; k <= 8; ++k) {
        DAL_TRY(dal_sim_run(*sim, NULL, 0.25 * k));
        const dal_point at = dal_sim_point(*sim);
        DAL_TRY(dal_model_outputs(m, dal_sim_data(*sim), out, &at));
        printf("t = %.2f s   cart %8.5f m   bar %8.5f rad   hinge %8.4f %8.4f N\n", at.t, out[0], out[1], out[2],
               out[4]);
        first = k == 0 ? out[5] : first;
        *drift = fmax(*drift, fabs(out[5] - first));
    }
    return DAL_OK;
}

int main(void)
{
    dal_ctx *ctx = NULL;
    dal_model *model = NULL;
    dal_sim *sim = NULL;
    double drift = 0.0;
    dal_status st = dal_ctx_create(&ctx, NULL);
    st = st != DAL_OK ? st : dal_model_create(&model, ctx);
    st = st != DAL_OK ? st : build(model);
    st = st != DAL_OK ? st : simulate(ctx, model, &sim, &drift);
    printf("%s\n", st != DAL_OK ? dal_ctx_message(ctx) : drift < 1e-4 ? "energy kept to 0.1 mJ" : "energy lost");
    dal_sim_destroy(sim);
    dal_model_destroy(model);
    dal_ctx_destroy(ctx);
    return st == DAL_OK && drift < 1e-4 ? 0 : 1;
}
