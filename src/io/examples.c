/* Examples of what is no element, and of keys of the model: members of a model with a body 'rod', a body 'load' and a joint 'hinge'. */
#include <stddef.h>
#include <string.h>

#include "io/forms.h"

/* clang-format off */
static const struct {
    const char *section, *name, *text; /* name: a kind of it; NULL: all */
} examples[] = {
    {"model", NULL, "'dalembert': 1, 'gravity': [0, 0, -9.81], 'bodies': [{'name': 'ball', 'type': 'point', 'mass': 1}], 'simulation': {'t_end': 1}"},
    {"variables", NULL, "'variables': {'L': '400 mm', 'A': [0, 0, 'L'], 'B': 'A + [L, 0, 0]', 'long': 'norm(B - A)'}"},
    {"words", NULL, "'words': {'kind': 'revolute'}, 'joints': [{'name': 'hinge', 'type': '{kind}', 'body_b': 'rod', 'axis': [0, 1, 0]}]"},
    {"gravity", NULL, "'gravity': [0, 0, -9.81]"},
    {"simulation", NULL, "'simulation': {'t_end': 2, 'h': '1 ms'}"},
    {"part", NULL, "'parts': [{'use': 'pendulum', 'name': 'left', 'at': [0, 1, 0]}, {'use': 'pendulum', 'name': 'right', 'at': [0, -1, 0]}]"},
    {"model_input", NULL, "'inputs': {'valve': 0.5, 'torque': {'value': 0, 'unit': 'N m', 'min': -5, 'max': 5}}"},
    {"assembly", NULL, "'assembly': {'hold': ['load']}"},
    {"contact_group", NULL, "'bodies': [{'name': 'ball', 'density': 7800, 'position': [0, 0, 1], 'shape': {'sphere': 0.05}}], 'contacts': [{'planes': [[0, 0, 0]], 'mu': 0.3, 'restitution': 0.5}]"},
    {"contact_pair", NULL, "'bodies': [{'name': 'ball', 'density': 7800, 'position': [0, 0, 1], 'shape': {'sphere': 0.05}}], 'contacts': [{'planes': [[0, 0, 0]], 'mu': 0.3, 'pairs': [{'a': ['ball*'], 'b': ['ground'], 'mu': 0.02}]}]"},
    {"view", NULL, "'view': {'ground': {'box': [1, 1, 0.01]}, 'trails': ['load']}"},
    {"trail", NULL, "'view': {'trails': ['load', {'body': 'rod', 'frame': [0.3, 0, 0]}]}"},
    {"sweep", NULL, "'variables': {'m': 1}, 'sweep': {'vary': {'m': '1:5:9'}, 'collect': ['final(energy)']}"},
    {"repetition", NULL, "'bodies': [{'repeat': 'i', 'to': 3, 'with': {'x': '0.2*i'}, 'items': [{'name': 'bead{i}', 'type': 'point', 'mass': 0.1, 'position': ['x', 0, 0]}]}]"},
    {"rotation", "quaternion", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'quaternion': [0.8, 0, 0.6, 0]}}]"},
    {"rotation", "matrix", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'matrix': [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}]"},
    {"rotation", "vector", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'vector': [0, 0.5, 0]}}]"},
    {"rotation", "euler", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'euler': 'zxz', 'angles': ['10 deg', 0.2, 0]}}]"},
    {"rotation", "x_along", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'x_along': [[0, 0, 0], [1, 0, 1]], 'y_axis': [0, 1, 0]}}]"},
    {"rotation", "y_along", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'y_along': [[0, 0, 0], [1, 0, 1]]}}]"},
    {"rotation", "z_along", "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'z_along': [[0, 0, 0], [1, 0, 1]], 'x_axis': [1, 0, 0]}}]"},
    {"rotation", NULL, "'bodies': [{'name': 'b', 'mass': 1, 'inertia': 0.1, 'rotation': {'axis': [0, 1, 0], 'angle': '30 deg'}}]"},
    {"frame", NULL, "'outputs': [{'name': 'tip', 'quantity': 'position', 'body': 'rod', 'frame': {'position': [0.3, 0, 0], 'axis': [1, 0, 0]}}]"},
    {"shape", "sphere", "'bodies': [{'name': 'b', 'density': 2700, 'shape': {'sphere': '50 mm'}}]"},
    {"shape", "cylinder", "'bodies': [{'name': 'b', 'density': 2700, 'shape': {'cylinder': ['20 mm', '300 mm'], 'frame': {'axis': [1, 0, 0]}}}]"},
    {"shape", "capsule", "'bodies': [{'name': 'b', 'density': 2700, 'shape': {'capsule': ['20 mm', '300 mm']}}]"},
    {"shape", "tube", "'view': {'ground': {'tube': [[0, 0, 0], [0.5, 0, 0.1], [1, 0, 0]], 'radius': 0.01}}"},
    {"shape", "cone", "'bodies': [{'name': 'b', 'density': 2700, 'shape': {'cone': ['20 mm', '60 mm']}}]"},
    {"shape", "ellipsoid", "'bodies': [{'name': 'b', 'density': 2700, 'shape': {'ellipsoid': [0.1, 0.05, 0.05]}}]"},
    {"shape", "mesh", "'shape': {'mesh': 'part.stl', 'scale': 0.001}"},
    {"shape", NULL, "'bodies': [{'name': 'b', 'density': 2700, 'shape': [{'box': [0.2, 0.1, 0.1]}, {'cylinder': [0.02, 0.3], 'frame': [0, 0, 0.2]}]}]"},
    {"inertia", "box", "'bodies': [{'name': 'b', 'mass': 2, 'inertia': {'box': [0.2, 0.1, 0.1]}}]"},
    {"inertia", "rod", "'bodies': [{'name': 'b', 'mass': 2, 'inertia': {'rod': '400 mm', 'axis': 'x'}}], 'joints': [{'name': 'hinge', 'type': 'revolute', 'body_b': 'b', 'axis': [0, 1, 0]}]"},
    {"inertia", "disk", "'bodies': [{'name': 'b', 'mass': 2, 'inertia': {'disk': '200 mm', 'axis': 'y'}}]"},
    {"inertia", "sphere", "'bodies': [{'name': 'b', 'mass': 2, 'inertia': {'sphere': '100 mm'}}]"},
    {"inertia", NULL, "'bodies': [{'name': 'b', 'mass': 2, 'inertia': {'cylinder': ['20 mm', '300 mm'], 'axis': 'x'}}, {'name': 'c', 'mass': 1, 'inertia': [0.1, 0.2, 0.2]}]"},
    {"beam", NULL, "'bodies': [{'name': 'blade', 'type': 'flexible', 'beam': {'length': 0.5, 'E': '210 GPa', 'nu': 0.3, 'density': 7850, 'circle': '10 mm', 'modes': 4}}]"},
    {"slender", NULL, "'beams': [{'name': 'blade', 'to': [1, 0, 0], 'start': 'ground', 'section': {'circle': '10 mm', 'E': '210 GPa', 'nu': 0.3, 'density': 7850}}]"},
    {"section", NULL, "'beams': [{'name': 'blade', 'to': [1, 0, 0], 'start': 'ground', 'section': {'rectangle': [0.02, 0.002], 'E': '70 GPa', 'nu': 0.33, 'density': 2700}}]"},
    {"join", NULL, "'beams': [{'name': 'blade', 'to': [1, 0, 0], 'start': {'body': 'ground', 'kind': 'hinged', 'axis': [0, 1, 0]}, 'section': {'circle': '10 mm', 'E': '210 GPa', 'nu': 0.3, 'density': 7850}}]"},
    {"arc", NULL, "'beams': [{'name': 'bow', 'arc': {'radius': 0.5, 'angle': '90 deg'}, 'start': 'ground', 'section': {'circle': '10 mm', 'E': '210 GPa', 'nu': 0.3, 'density': 7850}}]"},
    {"helix", NULL, "'beams': [{'name': 'coil', 'helix': {'radius': '20 mm', 'pitch': '10 mm', 'turns': 3}, 'elements': 24, 'start': 'ground', 'section': {'circle': '3 mm', 'E': '210 GPa', 'nu': 0.3, 'density': 7850}}]"},
    {"slide", NULL, "'bodies': [{'name': 'bead', 'type': 'point', 'mass': 0.1, 'position': [0.5, 0, 0]}], 'beams': [{'name': 'wire', 'to': [1, 0, 0], 'start': 'ground', 'slides': [{'body': 'bead'}], 'section': {'circle': '3 mm', 'E': '210 GPa', 'nu': 0.3, 'density': 7850}}]"},
    {"line_load", NULL, "'beams': [{'name': 'deck', 'to': [1, 0, 0], 'start': 'ground', 'loads': [{'vector': [0, 0, -20]}], 'section': {'circle': '10 mm', 'E': '210 GPa', 'nu': 0.3, 'density': 7850}}]"},
    {"modes", NULL, "'bodies': [{'name': 'leaf', 'type': 'flexible', 'modes': {'nodes': [[0, 0, 0], [0.5, 0, 0]], 'masses': [0.2, 0.1], 'inertias': [[1e-4, 1e-4, 1e-4, 0, 0, 0], [0, 0, 0, 0, 0, 0]], 'shapes': [[[0, 0, 0]], [[0, 0, 1]]], 'stiffness': [40], 'interfaces': {'root': 0, 'tip': 1}}}]"},
    {"interface", NULL, "'interfaces': {'root': 0, 'hub': {'nodes': [3, 4, 5, 6], 'weights': [1, 1, 2, 2]}}"},
    {"fem", NULL, "'flexible': {'matrices': {'M': 'rod_M.mtx', 'K': 'rod_K.mtx'}, 'nodes': 'rod_nodes.csv', 'interfaces': {'big': {'nodes': [0, 1, 2]}}, 'modes': 8}"},
    {"fem_matrices", NULL, "'matrices': {'M': 'rod_M.mtx', 'K': 'rod_K.mtx'}"},
    {"node_set", NULL, "'interfaces': {'big': {'nodes': [0, 1, 2, 3], 'kind': 'average'}}"},
    {"event", NULL, "'events': [{'name': 'over', 'when': 'hinge.coordinate > 1.5', 'stop': true}]"},
    {"input", NULL, "'forces': [{'name': 'f', 'type': 'law', 'joint': 'hinge', 'value': '-2*q - 3*z', 'inputs': {'q': 'hinge.coordinate', 'z': {'body_b': 'rod', 'frame_a': [0, 0, 0], 'frame_b': [0.3, 0, 0], 'coordinate': 'translation_z'}}}]"},
    {"active", NULL, "'forces': [{'name': 'kick', 'type': 'torque', 'body': 'rod', 'vector': [0, 5, 0], 'active': {'from': 0, 'to': '20 ms'}}]"},
};
/* clang-format on */

const char *dal_io_example(const char *section, const char *name)
{
    for (size_t k = 0; k < sizeof examples / sizeof *examples; ++k) {
        const int fits = examples[k].name == NULL || (name != NULL && strcmp(examples[k].name, name) == 0);
        if (fits && strcmp(examples[k].section, section) == 0) {
            return examples[k].text;
        }
    }
    return NULL;
}
