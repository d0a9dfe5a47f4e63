#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reproduce/claim.h"

typedef const claim *claim_table(int *n);

static claim_table *const PARTS[] = {claims_linear,    claims_transient,   claims_projection,  claims_sigma_error,
                                     claims_sigma_top, claims_sigma_rotor, claims_sigma_crank, claims_flexible,
                                     claims_lobatto,   claims_analysis,    claims_convergence, claims_ours};

enum { NPARTS = CLAIM_LENGTH(PARTS), CLAIMS_MAX = 512 };

int claim_count(void)
{
    int total = 0;
    for (int i = 0; i < NPARTS; ++i) {
        int n;
        (void)PARTS[i](&n);
        total += n;
    }
    return total;
}

const claim *claim_at(int k)
{
    for (int i = 0; i < NPARTS; ++i) {
        int n;
        const claim *part = PARTS[i](&n);
        if (k < n) {
            return part + k;
        }
        k -= n;
    }
    return NULL;
}

int claim_find(const char *id)
{
    const int n = claim_count();
    for (int k = 0; k < n; ++k) {
        if (strcmp(claim_at(k)->id, id) == 0) {
            return k;
        }
    }
    return -1;
}

const char *claim_nearest(const char *id)
{
    const char *ids[CLAIMS_MAX];
    const int count = claim_count(), n = count < CLAIMS_MAX ? count : CLAIMS_MAX;
    for (int k = 0; k < n; ++k) {
        ids[k] = claim_at(k)->id;
    }
    return dal_nearest(id, ids, n);
}

double claim_absolute_tolerance(const claim *c)
{
    switch (c->relation) {
    case CLAIM_NEAR:
        return c->tolerance;
    case CLAIM_RELATIVE:
        return c->tolerance * fabs(c->expected);
    default:
        return 0.0;
    }
}

// every comparison is written so that NaN fails

int claim_holds(const claim *c, double measured)
{
    switch (c->relation) {
    case CLAIM_AT_MOST:
        return measured <= c->expected;
    case CLAIM_AT_LEAST:
        return measured >= c->expected;
    default:
        return fabs(measured - c->expected) <= claim_absolute_tolerance(c);
    }
}

claim_verdict claim_judge(const claim *c, double measured)
{
    if (c->explanation == NULL) {
        return claim_holds(c, measured) ? CLAIM_PASSED : CLAIM_FAILED;
    }
    const double tol = c->ours_tolerance * (c->ours != 0.0 ? fabs(c->ours) : 1.0);
    return fabs(measured - c->ours) <= tol ? CLAIM_DIFFERS : CLAIM_FAILED;
}

const char *claim_verdict_name(claim_verdict verdict)
{
    static const char *const name[] = {"passed", "failed", "differs"};
    return name[verdict];
}

void claim_expected_text(char *text, size_t size, const claim *c)
{
    const char *const sign = c->relation == CLAIM_AT_MOST ? "<= " : c->relation == CLAIM_AT_LEAST ? ">= " : "";
    (void)snprintf(text, size, "%s%.4g", sign, c->expected);
}
