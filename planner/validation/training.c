/* training.c - seconds that one GPU computes per epoch (HyScale-GNN, equations 10 to 12), by the time model itself. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/validation/validation_model.h"
#include "simulator/movement/epoch_time.h"

enum { BATCHES, VERTICES, EDGES, DIM, HIDDEN, CLASSES, SAGE };
static const struct validation_input inputs[] = {{"batches", 1, 1e9, false, NAN, "mini-batches of an epoch"},
                                                 {"vertices", 0, 1e12, true, NAN,
                                                  "vertices of a mini-batch: all, then those of each layer; the last "
                                                  "are the seeds"},
                                                 {"edges", 0, 1e12, true, NAN,
                                                  "draws that each layer of a mini-batch sums over"},
                                                 {"dim", 1, 1e6, false, NAN, "length of a feature row (float32)"},
                                                 {"hidden", 1, 1e6, false, NAN, "hidden channels"},
                                                 {"classes", 1, 1e6, false, NAN, "classes"},
                                                 {"sage", 0, 1, false, NAN, "1: GraphSAGE; 0: GCN"},
                                                 {0}};
static const struct validation_parameter parameters[] = {{"efficiency", NAN, 0.2,
                                                          "share of the GPU's memory bandwidth that training reaches; "
                                                          "of its TFLOPS as well without compute_efficiency"},
                                                         {"compute_efficiency", 0, 1,
                                                          "share of the GPU's TFLOPS that updates reach"},
                                                         {"layer_seconds", 0, 1e-3,
                                                          "seconds that a layer of a mini-batch takes beside"},
                                                         {0}};

static double training_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    struct err lacking = {0};
    ON_HEAP_OR(struct epoch_load, load, &lacking, NAN);
    *load = (struct epoch_load){.gpus = 1, .layers = value[EDGES].count, .dim = value[DIM].v[0]};
    struct epoch_gpu *gpu = &load->gpu[0];
    ON_HEAP_OR(struct server, one, &lacking, NAN);
    *one = *s;
    struct epoch_time t;
    struct epoch_setup how = {.gnn = {value[SAGE].v[0] > 0 ? GNN_SAGE : GNN_GCN, (uint64_t)value[HIDDEN].v[0],
                                      (uint64_t)value[CLASSES].v[0]},
                              .cpu = cpu_part_none()};
    if (value[VERTICES].count != load->layers + 1 || load->layers > HOPS_MAX) return NAN;
    load->element_bytes = sizeof(float);
    gpu->batches = value[BATCHES].v[0];
    for (int l = 0; l <= load->layers; l++) gpu->vertices[l] = gpu->batches * value[VERTICES].v[l];
    for (int l = 1; l <= load->layers; l++) gpu->edges[l] = gpu->batches * value[EDGES].v[l - 1];
    one->gpus = 1;
    one->gpu[0].efficiency = parameter[0];
    one->gpu[0].compute_efficiency = parameter[1];
    one->gpu[0].layer_seconds = parameter[2];
    epoch_time(load, one, &how, &t);
    return t.iterations * t.stage[STAGE_PROPAGATE];
}

const struct validation_model validation_model_training = {.name = "training",
                                                           .summary = "seconds that one GPU computes per epoch, by "
                                                                      "equations 10 to 12 of HyScale-GNN",
                                                           .unit = "s",
                                                           .server = true,
                                                           .inputs = inputs,
                                                           .parameters = parameters,
                                                           .predict = training_predict};
