/* The option table of a simulation, from the one list in integrate.h. */
#include "integrate/options.h"

#include <string.h>

#define END       \
    {             \
        NULL, 0.0 \
    }
static const dal_word dal_words_integrator[] = {{"genalpha", DAL_INTEGRATOR_GENALPHA},
                                                {"lobatto", DAL_INTEGRATOR_LOBATTO},
                                                {"rk", DAL_INTEGRATOR_RK},
                                                {"auto", DAL_INTEGRATOR_AUTO},
                                                {"bdf", DAL_INTEGRATOR_BDF},
                                                {"rattlie", DAL_INTEGRATOR_RATTLIE},
                                                {"default", DAL_INTEGRATOR_DEFAULT},
                                                END};
static const dal_word dal_words_lambda[] = {{"consistent", DAL_LAMBDA_CONSISTENT},
                                            {"symmetric", DAL_LAMBDA_SYMMETRIC},
                                            {"carried", DAL_LAMBDA_CARRIED},
                                            {"variational", DAL_LAMBDA_VARIATIONAL},
                                            END};
static const dal_word dal_words_formulation[] = {
    {"index3", DAL_FORMULATION_INDEX3}, {"index2", DAL_FORMULATION_INDEX2},   {"index1", DAL_FORMULATION_INDEX1},
    {"ggl", DAL_FORMULATION_GGL},       {"default", DAL_FORMULATION_DEFAULT}, END};
static const dal_word dal_words_parameters[] = {{"chung_hulbert", DAL_PARAMETERS_CHUNG_HULBERT},
                                                {"hht", DAL_PARAMETERS_HHT},
                                                {"newmark", DAL_PARAMETERS_NEWMARK},
                                                {"free", DAL_PARAMETERS_FREE},
                                                END};
static const dal_word dal_words_sigma[] = {{"opt", DAL_SIGMA_OPT}, {"spin", DAL_SIGMA_SPIN}, END};
static const dal_word dal_words_kinematics[] = {{"exact", DAL_KINEMATICS_EXACT},
                                                {"printed", DAL_KINEMATICS_PRINTED},
                                                {"printed_half", DAL_KINEMATICS_PRINTED_HALF},
                                                END};
static const dal_word dal_words_jacobian[] = {{"exact", DAL_JACOBIAN_EXACT},
                                              {"paper", DAL_JACOBIAN_PAPER},
                                              {"simplified", DAL_JACOBIAN_SIMPLIFIED},
                                              {"series", DAL_JACOBIAN_SERIES},
                                              END};
static const dal_word dal_words_newton[] = {
    {"auto", DAL_NEWTON_AUTO}, {"full", DAL_NEWTON_FULL}, {"modified", DAL_NEWTON_MODIFIED}, END};
static const dal_word dal_words_stop[] = {{"increment", DAL_STOP_INCREMENT}, {"residual", DAL_STOP_RESIDUAL}, END};
static const dal_word dal_words_unknowns[] = {
    {"position", DAL_UNKNOWNS_POSITION}, {"velocity", DAL_UNKNOWNS_VELOCITY}, END};
static const dal_word dal_words_tangent[] = {{"exact", DAL_TANGENT_EXACT}, {"forces", DAL_TANGENT_FORCES}, END};
static const dal_word dal_words_impacts[] = {
    {"auto", DAL_IMPACTS_AUTO}, {"located", DAL_IMPACTS_LOCATED}, {"captured", DAL_IMPACTS_CAPTURED}, END};
static const dal_word dal_words_predictor[] = {
    {"extrapolate", DAL_PREDICTOR_EXTRAPOLATE}, {"hold", DAL_PREDICTOR_HOLD}, {"zero", DAL_PREDICTOR_ZERO}, END};
static const dal_word dal_words_starting[] = {{"perturbed", DAL_STARTING_PERTURBED},
                                              {"acceleration", DAL_STARTING_ACCELERATION},
                                              {"naive", DAL_STARTING_NAIVE},
                                              END};
static const dal_word dal_words_start_difference[] = {
    {"central", DAL_DIFFERENCE_CENTRAL}, {"forward", DAL_DIFFERENCE_FORWARD}, END};
static const dal_word dal_words_initial[] = {{"project", DAL_INITIAL_PROJECT},
                                             {"strict", DAL_INITIAL_STRICT},
                                             {"accept", DAL_INITIAL_ACCEPT},
                                             {"static", DAL_INITIAL_STATIC},
                                             END};
static const dal_word dal_words_redundant[] = {
    {"error", DAL_REDUNDANT_ERROR}, {"drop", DAL_REDUNDANT_DROP}, {"least_norm", DAL_REDUNDANT_LEAST_NORM}, END};
static const dal_word dal_words_projection[] = {
    {"none", DAL_PROJECTION_NONE}, {"plain", DAL_PROJECTION_PLAIN}, {"compensated", DAL_PROJECTION_COMPENSATED}, END};
static const dal_word dal_words_step[] = {{"fixed", DAL_STEP_FIXED},
                                          {"adaptive", DAL_STEP_ADAPTIVE},
                                          {"fixed_or_cut", DAL_STEP_FIXED_OR_CUT},
                                          {"auto", DAL_STEP_AUTO},
                                          END};
static const dal_word dal_words_h[] = {{"auto", 0.0}, END};
static const dal_word dal_words_step_rtol[] = {{"auto", -1.0}, END};
static const dal_word dal_words_transfer[] = {
    {"full", DAL_TRANSFER_FULL}, {"acceleration", DAL_TRANSFER_ACCELERATION}, {"none", DAL_TRANSFER_NONE}, END};
static const dal_word dal_words_linear_solver[] = {
    {"auto", DAL_LINSOL_AUTO},   {"small", DAL_LINSOL_SMALL},     {"sparse", DAL_LINSOL_SPARSE},
    {"block", DAL_LINSOL_BLOCK}, {"frontal", DAL_LINSOL_FRONTAL}, {"dense", DAL_LINSOL_DENSE},
    {"klu", DAL_LINSOL_SPARSE},  {"lapack", DAL_LINSOL_DENSE},    END};

_Static_assert(offsetof(dal_options, sigma_rule) == offsetof(dal_options, sigma) + sizeof(double),
               "a rule stands next to its number");

static const dal_option list[] = {
#define ENTRY(KIND, type, name, initial, min, max, words, text) \
    DAL_OPTION_ENTRY(dal_options, KIND, name, initial, min, max, words, text)
    DAL_OPTIONS(ENTRY)
#undef ENTRY
};

static const dal_option_table table = {"Options of a simulation", (int)(sizeof list / sizeof list[0]), list};

const dal_option_table *dal_options_table(void)
{
    return &table;
}

/* The caller's struct may be shorter than ours: what lies beyond it is not written. */
void dal_options_init_(dal_options *options, size_t size)
{
    if (options != NULL) {
        dal_options all;
        memset(&all, 0, sizeof all);
        dal_options_default(&table, &all);
        all.size = size < sizeof all ? size : sizeof all;
        memcpy(options, &all, all.size);
    }
}

/* The one place that knows what a run does of which no method is named. */
void dal_options_resolve(dal_options *options)
{
    if (options == NULL) {
        return;
    }
    if (options->integrator == DAL_INTEGRATOR_DEFAULT) {
        const int unnamed =
            options->formulation == DAL_FORMULATION_DEFAULT && options->step == DAL_STEP_AUTO && options->h == 0.0;
        options->integrator = unnamed ? DAL_INTEGRATOR_AUTO : DAL_INTEGRATOR_GENALPHA;
    }
    const int explicit = options->integrator == DAL_INTEGRATOR_RK || options->integrator == DAL_INTEGRATOR_AUTO;
    const int has_formulation = options->integrator == DAL_INTEGRATOR_GENALPHA ||
                                options->integrator == DAL_INTEGRATOR_AUTO || options->integrator == DAL_INTEGRATOR_BDF;
    if (options->formulation == DAL_FORMULATION_DEFAULT && has_formulation) {
        options->formulation = DAL_FORMULATION_GGL; // survives spinning bodies: table in docs/user/methods.md
    }
    if (options->step == DAL_STEP_AUTO) {
        options->step = explicit ? DAL_STEP_ADAPTIVE : DAL_STEP_FIXED;
    }
    if (options->order == 0) {
        options->order = explicit ? 8 : 2;
    }
    if (options->h == 0.0) {
        options->h = 1e-3;
    }
    if (options->step_rtol == -1.0) {
        options->step_rtol = options->integrator == DAL_INTEGRATOR_AUTO ? 1e-6 : 1e-4;
    }
}

dal_status dal_options_take(dal_options *to, dal_ctx *ctx, const dal_options *from)
{
    dal_options_init_(to, sizeof *to);
    if (from == NULL) {
        return DAL_OK;
    }
    if (from->size < sizeof from->size || from->size > sizeof *from) {
        return dal_fail(
            ctx, DAL_EOPTION,
            "options with size = %zu, where up to %zu are known: begin with dal_options_init(), then change "
            "what you like",
            from->size, sizeof *from);
    }
    memcpy(to, from, from->size);
    to->size = sizeof *to;
    return DAL_OK;
}

const dal_options *dal_options_shown(dal_options *room, const dal_options *all, size_t size)
{
    if (size >= sizeof *all) {
        return all;
    }
    memcpy(room, all, size);
    room->size = size;
    return room;
}
