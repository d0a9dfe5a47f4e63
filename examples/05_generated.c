/* A generated program in a program of one's own (docs/user/generate.md):
 *     dalembert generate spatial_slider_crank -o crank.c */
#include <stdio.h>

#include "crank.c" // NOLINT(bugprone-suspicious-include)

int main(void)
{
    spatial_slider_crank_state s;
    double y[64];
    spatial_slider_crank_init(&s);
    const double start = spatial_slider_crank_energy(&s);
    for (int k = 0; k < 1000; ++k) {
        if (spatial_slider_crank_step(&s) != SPATIAL_SLIDER_CRANK_OK) {
            fprintf(stderr, "the step from t = %g failed\n", s.t);
            return 1;
        }
    }
    spatial_slider_crank_outputs(&s, y); // which ones: see the declaration
    printf("t = %g, q[0] = %.9g, y[0] = %.9g, energy off by %.1e\n", s.t, s.q[0], y[0],
           spatial_slider_crank_energy(&s) - start);
    return 0;
}
