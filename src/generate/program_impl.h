/* A program and what it was made from. Included by generate_impl.h. */
#ifndef DAL_GENERATE_PROGRAM_IMPL_H
#define DAL_GENERATE_PROGRAM_IMPL_H

struct dal_program {
    dal_ctx *ctx;
    char **parameter, **output;
    char name[GEN_NAME];
    int nparameters, noutputs;
    dal_generate_options how;
    /* the model: opened here, or borrowed */
    dal_document *doc, *own_doc;
    const dal_binding *binding;
    dal_binding *own_binding;
    const dal_system *system;
    dal_sim *sim;
    /* in the order of printing */
    gen_printed *number;
    int nnumbers, number_capacity;
    gen_nodes *nodes; /* NULL: there are no parameters */
    double h;
    gen shape;
    int *output_at, size, noutput_values;
    int *left_out, nleft_out; /* rows that depend on others at the start, and are not part of the steps */
    int starts;
    char no_start[256]; /* why there is no start by generated code; "": there is one */
    int *given;         /* nv: velocities that others are completed from at the start, or NULL */
    /* parameters: names in the program, values of the model */
    char field[GEN_PARAMETERS][GEN_NAME];
    double own[GEN_PARAMETERS];
    dal_member_layout layout;
    char *text;
};

#endif
