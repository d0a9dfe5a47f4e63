/* modelDescription.xml: FMI 2.0.4, section 2.2, and FMI 3.0.2, section 2.4. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "fmu/fmu.h"
#include "io/expression_reader.h"

void fmu_identifier(char *to, size_t size, const char *name)
{
    size_t n = 0;
    if (!isalpha((unsigned char)name[0])) {
        n = (size_t)snprintf(to, size, "model_");
    }
    for (; *name != '\0' && n + 1 < size; ++name) {
        to[n++] = (char)(isalnum((unsigned char)*name) ? *name : '_');
    }
    to[n] = '\0';
}

/* ' NAME="text"' with what XML needs escaped. */
static void attribute(dal_text *t, const char *name, const char *text)
{
    dal_text_print(t, " %s=\"", name);
    for (; *text != '\0'; ++text) {
        const char *word = strchr("&<>\"", *text);
        if (word != NULL) {
            static const char *const escaped[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
            dal_text_put(t, escaped[(unsigned char)*text]);
        } else {
            dal_text_put_n(t, (unsigned char)*text < ' ' ? " " : text, 1);
        }
    }
    dal_text_put(t, "\"");
}

static void number(dal_text *t, const char *name, double x)
{
    dal_text_print(t, " %s=\"%.17g\"", name, x);
}

/* ---- units -------------------------------------------------------------------------------------- */

enum { BASES = 8 };
static const char *const base_name[BASES] = {"m", "kg", "s", "rad", "A", "K", "mol", "cd"};

/* Base units of a word of n characters: those that expressions know (length, mass, time, angle), others of SI, "1". */
static int one_unit(dal_units *u, int power[BASES], const char *word, size_t n)
{
    char text[16];
    memset(power, 0, BASES * sizeof *power);
    snprintf(text, sizeof text, "%.*s", (int)n, word);
    if (n >= sizeof text) {
        return 0;
    }
    if (n > 0 && dal_units_read(u, text) == n) {
        for (int b = 0; b < DAL_BASES; ++b) {
            power[b] += u->dimension.e[b];
        }
        return 1;
    }
    *u = (dal_units){.times = 1.0, .over = 1.0};
    int b = DAL_BASES;
    while (b < BASES && strcmp(base_name[b], text) != 0) {
        ++b;
    }
    if (b < BASES) {
        power[b] = 1;
    }
    return b < BASES || strcmp(text, "1") == 0;
}

/* Powers of the base units of "N m", "kg m^2/s", "N/mm", and how many of them it is; 0: a word that we do not know. */
static int base_units(const char *unit, int power[BASES], double *factor)
{
    int sign = 1;
    memset(power, 0, BASES * sizeof *power);
    *factor = 1.0;
    while (*unit != '\0') {
        const size_t n = strcspn(unit, " */^");
        int exponent = 1, used = 0, own[BASES];
        dal_units one;
        if (!one_unit(&one, own, unit, n)) {
            return 0;
        }
        unit += n;
        if (*unit == '^') {
            if (sscanf(unit + 1, "%d%n", &exponent, &used) != 1) { // NOLINT(cert-err34-c)
                return 0;
            }
            unit += 1 + used;
        }
        for (int b = 0; b < BASES; ++b) {
            power[b] += sign * exponent * own[b];
        }
        *factor *= pow(one.times / one.over, sign * exponent);
        sign = *unit == '/' ? -1 : sign;
        unit += *unit != '\0';
    }
    return 1;
}

static void put_units(dal_text *t, const fmu_model *m)
{
    dal_text_put(t, "  <UnitDefinitions>\n");
    for (int k = 0; k < m->n; ++k) {
        const char *unit = m->variable[k].unit;
        int before = 0, power[BASES];
        double factor;
        while (before < k && strcmp(m->variable[before].unit, unit) != 0) {
            ++before;
        }
        if (unit[0] == '\0' || before < k) {
            continue;
        }
        dal_text_put(t, "    <Unit");
        attribute(t, "name", unit);
        if (base_units(unit, power, &factor)) {
            dal_text_put(t, "><BaseUnit");
            for (int b = 0; b < BASES; ++b) {
                if (power[b] != 0) {
                    dal_text_print(t, " %s=\"%d\"", base_name[b], power[b]);
                }
            }
            if (factor != 1.0) {
                number(t, "factor", factor);
            }
            dal_text_put(t, "/></Unit>\n");
        } else {
            dal_text_put(t, "/>\n");
        }
    }
    dal_text_put(t, "  </UnitDefinitions>\n");
}

/* ---- variables ---------------------------------------------------------------------------------- */

typedef struct words {
    const char *causality, *variability, *initial;
} words;

static words words_of(fmu_kind kind)
{
    static const words all[] = {[FMU_TIME] = {"independent", "continuous", NULL},
                                [FMU_INPUT] = {"input", "continuous", NULL},
                                [FMU_PARAMETER] = {"parameter", "fixed", "exact"},
                                [FMU_OUTPUT] = {"output", "continuous", "calculated"},
                                [FMU_STATE] = {"local", "continuous", "calculated"},
                                [FMU_DERIVATIVE] = {"local", "continuous", "calculated"},
                                [FMU_INDICATOR] = {"local", "continuous", "calculated"}};
    return all[kind];
}

static void put_common(dal_text *t, const fmu_model *m, int k)
{
    const fmu_variable *v = &m->variable[k];
    const words w = words_of(v->kind);
    attribute(t, "name", v->name);
    dal_text_print(t, " valueReference=\"%d\" causality=\"%s\" variability=\"%s\"", k, w.causality, w.variability);
    if (w.initial != NULL) {
        attribute(t, "initial", w.initial);
    }
}

/* state: where the state of a derivative is, as the version counts */
static void put_real(dal_text *t, const fmu_variable *v, int state)
{
    if (v->unit[0] != '\0') {
        attribute(t, "unit", v->unit);
    }
    if (v->min > -INFINITY) {
        number(t, "min", v->min);
    }
    if (v->max < INFINITY) {
        number(t, "max", v->max);
    }
    if (v->kind == FMU_DERIVATIVE) {
        dal_text_print(t, " derivative=\"%d\"", state);
    }
    if (v->kind == FMU_INPUT || v->kind == FMU_PARAMETER) {
        number(t, "start", v->start);
    }
}

static void put_variables(dal_text *t, const fmu_model *m, int version)
{
    dal_text_put(t, "  <ModelVariables>\n");
    for (int k = 0; k < m->n; ++k) {
        dal_text_put(t, version == 3 ? "    <Float64" : "    <ScalarVariable");
        put_common(t, m, k);
        dal_text_put(t, version == 3 ? "" : "><Real");
        put_real(t, &m->variable[k], k - m->nstates + (version == 3 ? 0 : 1));
        dal_text_put(t, version == 3 ? "/>\n" : "/></ScalarVariable>\n");
    }
    dal_text_put(t, "  </ModelVariables>\n");
}

/* Elements for all variables of some kinds; those of FMI 2 count from 1. */
static void put_unknowns(dal_text *t, const fmu_model *m, const char *element, const char *reference, int first,
                         const fmu_kind kind[3])
{
    for (int k = 0; k < m->n; ++k) {
        const fmu_kind it = m->variable[k].kind;
        if (it == kind[0] || it == kind[1] || it == kind[2]) {
            dal_text_print(t, "    <%s %s=\"%d\"/>\n", element, reference, k + first);
        }
    }
}

static void put_structure(dal_text *t, const fmu_model *m, int version)
{
    static const struct {
        const char *list, *element; /* of FMI 2, of FMI 3 */
        fmu_kind kind[3];
    } part[] = {{"Outputs", "Output", {FMU_OUTPUT, FMU_OUTPUT, FMU_OUTPUT}},
                {"Derivatives", "ContinuousStateDerivative", {FMU_DERIVATIVE, FMU_DERIVATIVE, FMU_DERIVATIVE}},
                {"InitialUnknowns", "InitialUnknown", {FMU_OUTPUT, FMU_STATE, FMU_DERIVATIVE}},
                {NULL, "EventIndicator", {FMU_INDICATOR, FMU_INDICATOR, FMU_INDICATOR}}};
    dal_text_put(t, "  <ModelStructure>\n");
    for (size_t k = 0; k < sizeof part / sizeof part[0]; ++k) {
        const int empty = part[k].list == NULL || (m->noutputs == 0 && (k == 0 || m->nstates == 0));
        if (version == 3) {
            put_unknowns(t, m, part[k].element, "valueReference", 0, part[k].kind);
        } else if (!(empty || (k == 1 && m->nstates == 0))) {
            dal_text_print(t, "  <%s>\n", part[k].list);
            put_unknowns(t, m, "Unknown", "index", 1, part[k].kind);
            dal_text_print(t, "  </%s>\n", part[k].list);
        }
    }
    dal_text_put(t, "  </ModelStructure>\n");
}

/* ---- the whole ---------------------------------------------------------------------------------- */

/* The end of an element of an interface: with the list of sources in FMI 2, which is a file of its own in FMI 3. */
static void put_sources(dal_text *t, const char *element, const char *identifier, int listed)
{
    if (listed) {
        dal_text_print(t, ">\n    <SourceFiles>\n      <File name=\"%s.c\"/>\n    </SourceFiles>\n  </%s>\n",
                       identifier, element);
    } else {
        dal_text_put(t, "/>\n");
    }
}

static void put_interfaces(dal_text *t, const fmu_model *m, int version, fmu_code code)
{
    char identifier[128];
    const int listed = code == FMU_GENERATED && version == 2;
    fmu_identifier(identifier, sizeof identifier, dal_document_name(m->doc));
    const char *state = version == 3 ? "FMUState" : "FMUstate",
               *slopes = version == 3 ? " providesDirectionalDerivatives=\"true\""
                                      : " providesDirectionalDerivative=\"true\"";
    const int starts = !(code == FMU_GENERATED && m->why[0] != '\0');
    if (m->nstates > 0) {
        dal_text_print(t, "  <ModelExchange modelIdentifier=\"%s\" canGetAndSet%s=\"true\" canSerialize%s=\"true\"%s",
                       identifier, state, state, slopes);
        put_sources(t, "ModelExchange", identifier, listed);
    }
    dal_text_print(t,
                   "  <CoSimulation modelIdentifier=\"%s\" canGetAndSet%s=\"true\" canSerialize%s=\"true\" "
                   "canHandleVariableCommunicationStepSize=\"true\"%s",
                   identifier, state, state, starts ? slopes : "");
    if (version == 3 && !starts) { // without starts all steps are of one size
        number(t, "fixedInternalStepSize", dal_document_options(m->doc)->h);
    } else if (version == 3 && (code == FMU_LIBRARY || m->sys->events.n > 0)) {
        dal_text_put(t, " mightReturnEarlyFromDoStep=\"true\" hasEventMode=\"true\"");
    }
    put_sources(t, "CoSimulation", identifier, listed);
}

dal_status fmu_describe(char **xml, const fmu_model *m, const char *token, int version, fmu_code code)
{
    dal_text t = {.ctx = m->ctx};
    dal_text_put(&t, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    attribute(&t, "fmiVersion", version == 3 ? "3.0" : "2.0");
    attribute(&t, "modelName", dal_document_name(m->doc));
    attribute(&t, version == 3 ? "instantiationToken" : "guid", token);
    attribute(&t, "description", dal_document_title(m->doc));
    dal_text_print(&t, " generationTool=\"dalembert %s\" variableNamingConvention=\"flat\"", dal_version_string());
    if (version == 2) {
        dal_text_print(&t, " numberOfEventIndicators=\"%d\"", m->nindicators);
    }
    dal_text_put(&t, ">\n");
    put_interfaces(&t, m, version, code);
    put_units(&t, m);
    dal_text_put(&t, "  <DefaultExperiment startTime=\"0\"");
    if (dal_document_t_end(m->doc) > 0.0) {
        number(&t, "stopTime", dal_document_t_end(m->doc));
    }
    if (dal_document_options(m->doc)->h > 0.0) {
        number(&t, "stepSize", dal_document_options(m->doc)->h);
    }
    dal_text_put(&t, "/>\n");
    put_variables(&t, m, version);
    put_structure(&t, m, version);
    dal_text_put(&t, "</fmiModelDescription>\n");
    *xml = t.s;
    if (t.failed) {
        dal_text_release(&t);
        *xml = NULL;
        return dal_fail(m->ctx, DAL_ENOMEM, "no memory for the description");
    }
    return DAL_OK;
}
