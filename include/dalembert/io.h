/* dalembert/io.h - models from files (docs/format/model.md).
 *
 *     dal_document_open -> dal_document_model -> dal_model_compile -> dal_document_assemble
 *                       -> dal_sim_create(..., dal_document_options(doc))
 *
 * A model file is JSON; what it can say is what the builder of mbs.h can do, plus variables with arithmetic,
 * repetition, and the options of the simulation. A failure names the file with line and column (syntax) or with the
 * path of the value ("/joints/3/body_a: no body 'crnk' (did you mean 'crank'?)"). */
#ifndef DALEMBERT_IO_H
#define DALEMBERT_IO_H

#include "dalembert/assemble.h"
#include "dalembert/fem.h"
#include "dalembert/integrate.h"
#include "dalembert/mbs.h"
#include "dalembert/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dal_document dal_document;

/* Read the built-in model of that name, or else the file ("./pendulum" is always a file). set: nset assignments
 * "name=value" that replace variables ("L=0.4", "L=2*pi"), words, t_end or options of the simulation. */
DAL_API dal_status dal_document_open(dal_document **doc, dal_ctx *ctx, const char *source, const char *const *set,
                                     int nset) DAL_NODISCARD;
/* The same from n bytes of text; name stands for the file in messages. */
DAL_API dal_status dal_document_parse(dal_document **doc, dal_ctx *ctx, const char *text, size_t n, const char *name,
                                      const char *const *set, int nset) DAL_NODISCARD;
/* What may be said when a model is read; zero-initialise. */
typedef struct dal_load_options {
    const char *const *set; /* nset assignments, as above */
    int nset;
    int files_outside; /* the model may name files (modes_file, tables) outside its own folder */
    const char
        *text; /* the model; source only stands for it in messages, and its folder is that of files. NULL: it is read */
    const char *const
        *without; /* nwithout names of joints and forces that are left out, with the outputs of them; a star at the
                                   end stands for any ending */
    int nwithout;
    /* nnumbers numbers of elements, "beams.blade.section.E", and what stands in their place; elements of repetitions have no
     * address here */
    const char *const *address;
    const double *number;
    int nnumbers;
} dal_load_options;

DAL_API dal_status dal_document_open_with_(dal_document **doc, dal_ctx *ctx, const char *source,
                                           const dal_load_options *how, size_t size) DAL_NODISCARD;
DAL_API void dal_document_destroy(dal_document *doc); /* the model as well; NULL is fine */

/* What was read. All of it belongs to the document. */
DAL_API dal_model *dal_document_model(const dal_document *doc); /* not compiled yet */
DAL_API const dal_options *dal_document_options_(const dal_document *doc, size_t size);
DAL_API double dal_document_t_end(const dal_document *doc);
DAL_API const char *dal_document_name(const dal_document *doc);
DAL_API const char *dal_document_title(const dal_document *doc);
DAL_API const char *dal_document_text(const dal_document *doc); /* the file as it was read */
/* What became of the finite element body of this number; NULL: it is none. It belongs to the document. */
DAL_API const dal_fem_result *dal_document_reduced(const dal_document *doc, int body);

/* If the file asks for "assembly": close the compiled model from its initial guess, with the bodies held that the file
 * names, and make the result its initial values. DAL_NOCONV names the joints that stay open. report (may be NULL) is zero
 * if the file does not ask. */
DAL_API dal_status dal_document_assemble(dal_document *doc, dal_assembly_report *report,
                                         const dal_system *system) DAL_NODISCARD;

typedef struct dal_variable {
    const char *name;
    double value;
    const char *unit; /* of the keys that have it as their value, "m"; "" if there are none, or they differ */
    int input;        /* it is an input of the model (dal_model_input): it may change during a run */
} dal_variable;

DAL_API int dal_document_variable_count(const dal_document *doc);
DAL_API dal_variable dal_document_variable(const dal_document *doc, int k); /* 0 .. count - 1, as in the file */

/* The value of an expression in terms of the variables: "2*pi*f". */
DAL_API dal_status dal_document_value(const dal_document *doc, double *x, const char *expression) DAL_NODISCARD;
/* Add a function of t, an expression of it and of the variables, to the model before it is compiled. */
DAL_API dal_status dal_document_add_function(dal_document *doc, int *number, const char *name,
                                             const char *expression) DAL_NODISCARD;

/* ---- values of variables for one simulation --------------------------------------------------- */

/* Variables of a document, and numbers of its elements, as values that can be set on a simulation without reading or
 * compiling anything again: what depends on them is found once. */
typedef struct dal_binding dal_binding;

/* names: n variables ("L") or numbers of elements by section, name, key and, in a list, place from 0 on ("bodies.rod.mass",
 * "joints.A.point_a.1", "forces.s.stiffness", "functions.f.amplitude", "gravity.2"); a key that is not in the file has no
 * number there. Whatever depends on the values can be: places, masses, frames in the world, expressions of functions, laws
 * and rows, t_end and h. What would change the structure is refused, with the reason: numbers of repetitions, names,
 * shapes of flexible bodies, options but h, masses from meshes. The document must outlive the binding, which is constant:
 * any number of threads may use it, each with simulations of its own. */
DAL_API dal_status dal_binding_create(dal_binding **binding, dal_ctx *ctx, const dal_document *doc,
                                      const char *const *names, int n) DAL_NODISCARD;
DAL_API void dal_binding_destroy(dal_binding *binding); /* after the simulations that were set with it; NULL is fine */

/* Set the numbers of a simulation of the compiled model of the document to what they are with these n values; those that
 * depend on none of them stay as they are. Same bits as if the document had been opened with the values. A failure (a value
 * out of range, a body that has ceased to be one) says where; some numbers may have been set then. Allocates nothing. */
DAL_API dal_status dal_binding_set(const dal_binding *binding, dal_data *data, const double *values) DAL_NODISCARD;
/* What dal_binding_start does before anything else: all numbers as in the document but for what depends on the values, and the
 * initial values that go with these (q and v may be NULL). A failure says what is wrong with the values. Allocates nothing. */
DAL_API dal_status dal_binding_initial(const dal_binding *binding, dal_data *data, double *q, double *v,
                                       const double *values) DAL_NODISCARD;
/* As if the document had been opened with the values: all numbers as in the document but for what depends on them, then the
 * simulation starts from the initial values that go with these, assembled if the file asks for it, with h if that depends
 * on the values. report may be NULL. Allocates only for an assembly, to complete velocities, and where
 * dal_sim_start does. */
DAL_API dal_status dal_binding_start(const dal_binding *binding, dal_sim *sim, dal_initial_report *report,
                                     const double *values) DAL_NODISCARD;
/* The n values as they are in the document. */
DAL_API void dal_binding_values(const dal_binding *binding, double *values);
/* The end time with these values. */
DAL_API dal_status dal_binding_t_end(const dal_binding *binding, double *t_end, const double *values) DAL_NODISCARD;

/* Change values during a run, between two steps or in an observer: the simulation goes on from the present q and v, made consistent, with
 * new accelerations, multipliers and starting values, as after an event, and with h if that depends on the values. If the values are
 * refused, all is as before and the run can go on. The binding must outlive the simulation. */
DAL_API dal_status dal_binding_change(const dal_binding *binding, dal_sim *sim, const double *values) DAL_NODISCARD;
/* Derivatives of the numbers p of all elements (dal_data_parameters of a simulation that has been set by the binding) with
 * respect to the values, as products: dp = (dp/dvalues) dvalues, and dvalues = (dp/dvalues)^T dp. The numbers of the simulation
 * are set to the values. Exact but for rounding; masses of shapes and places on flexible bodies by differences, to 1e-8. */
DAL_API dal_status dal_binding_product(const dal_binding *binding, dal_data *data, double *dp, const double *values,
                                       const double *dvalues) DAL_NODISCARD;
DAL_API dal_status dal_binding_product_transposed(const dal_binding *binding, dal_data *data, double *dvalues,
                                                  const double *values, const double *dp) DAL_NODISCARD;

/* ---- built in --------------------------------------------------------------------------------- */

typedef struct dal_builtin {
    const char *name, *title;
    const char *text; /* the model file; n bytes and a zero */
    size_t n;
} dal_builtin;

DAL_API int dal_builtin_count(void);
DAL_API dal_builtin dal_builtin_model(int k);
/* The JSON schema (draft 2020-12) of model files, written from the keys of all element types (dalembert/elements.h), as
 * far as there is room. Returns its length; NULL, 0: that alone. */
DAL_API size_t dal_model_schema(char *text, size_t size);
/* The reference of one thing as text for people: "joints" lists types, "joints.revolute" has the keys of one and an example,
 * "joints.revolute.axis" one of these, "rotation.euler" what is no element, "simulation.h" an option; NULL lists what can be asked for, a
 * name a line. Returns its length; 0: there is no such thing. */
DAL_API size_t dal_model_explain(char *text, size_t size, const char *key);

#ifdef __cplusplus
}
#endif
#endif
