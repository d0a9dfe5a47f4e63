/* A program outside the tree: it knows the installed library only. */
#ifdef CORE_ALONE // libdalembert-core
#include <dalembert/core.h>
#else
#include <dalembert/dalembert.h>
#endif
#include <math.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    (void)argv;
    const dal_factor_spec spec[] = {{DAL_FACTOR_RN, 2}, {DAL_FACTOR_SE3, 0}};
    dal_ctx *ctx = NULL;
    dal_group *group = NULL;
    if (dal_ctx_create(&ctx, NULL) != DAL_OK || dal_group_create(&group, ctx, spec, 2) != DAL_OK) {
        return 1;
    }
    printf("dalembert %s: nq = %d, nv = %d\n", dal_version_string(), group->nq, group->nv);
    // a program with equations of its own needs libm, too: argc keeps the compiler from computing it
    const int good = group->nq == 9 && group->nv == 8 && fabs(sin(argc) - 0.8414709848078965) < 1e-15;
    dal_group_destroy(group);
    dal_ctx_destroy(ctx);
    return good ? 0 : 1;
}
