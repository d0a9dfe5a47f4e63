/* write_box NX NY NZ A B C FOLDER: a steel box of A x B x C metres in so many bricks, as matrices and nodes in a folder; the numbers of the
 * nodes of both ends to standard output, a line each. */
#include <stdio.h>
#include <stdlib.h>

#include "fem_bodies.h"

static void print_face(const fem_mesh *m, int *list, double x)
{
    const int n = fem_mesh_face(m, list, x);
    for (int k = 0; k < n; ++k) {
        printf("%s%d", k > 0 ? " " : "", list[k]);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    static const fem_material steel = {2.1e11, 0.3, 7850.0};
    int n[3];
    double size[3];
    fem_mesh m = {0};
    if (argc != 8) {
        fprintf(stderr, "usage: write_box NX NY NZ A B C FOLDER\n");
        return 2;
    }
    for (int k = 0; k < 3; ++k) {
        n[k] = atoi(argv[1 + k]);
        size[k] = atof(argv[4 + k]);
    }
    fem_mesh_box(&m, n, size, &steel, NULL);
    fem_mesh_write(&m, argv[7]);
    int *list = malloc((size_t)m.nnodes * sizeof *list);
    if (list == NULL) {
        return 1;
    }
    print_face(&m, list, 0.0);
    print_face(&m, list, size[0]);
    free(list);
    fem_mesh_release(&m);
    return 0;
}
