/* rgat_step.c - one training step of R-GAT on every GPU of a server, by the time model itself. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "planner/validation/validation_model.h"
#include "simulator/movement/epoch_time.h"

enum { BATCH, NODES, FROM_HOST, ROW_BYTES, VERTICES, EDGES, DIM, HIDDEN, CLASSES, RELATIONS, TYPES };
static const struct validation_input inputs[] =
    {{"batch", 1, 1e9, false, NAN, "seeds of a mini-batch"},
     {"nodes", 1, 1e5, false, 1, "servers over whose GPUs the rows are spread, in equal parts"},
     {"from_host", 0, 1, false, NAN, "share of the rows that come from the host; the others come from GPUs"},
     {"row_bytes", 1, 1e9, false, NAN, "bytes of a row"},
     {"vertices", 0, 1e9, true, NAN, "vertices per seed: all, then visits of each layer"},
     {"edges", 0, 1e9, true, NAN, "draws per seed that each layer sums over"},
     {"dim", 1, 1e6, false, NAN, "length of a row"},
     {"hidden", 1, 1e6, false, NAN, "hidden channels of all heads"},
     {"classes", 1, 1e6, false, NAN, "classes"},
     {"relations", 1, 1e4, false, NAN, "relations of the graph"},
     {"types", 1, 1e4, false, NAN, "types of its vertices"},
     {0}};
enum { EFFICIENCY, STEP, READS };
static const struct validation_parameter parameters[] =
    {{"efficiency", RGAT_EFFICIENCY, 0.3, "share of tensor TFLOPS and memory bandwidth that computing reaches"},
     {"step_seconds", RGAT_STEP_SECONDS, 0.02, "seconds of computing a step, whatever its size"},
     {"reads", RGAT_READS, 1.5, "rate of rows from the host, in those that the server states"},
     {0}};

/* What every GPU of s reads and computes in a step. */
static void load_of(const struct server *s, const struct model_value *value, struct epoch_load *load)
{
    double batch = value[BATCH].v[0], host = value[FROM_HOST].v[0],
           bytes = batch * value[VERTICES].v[0] * value[ROW_BYTES].v[0];
    *load = (struct epoch_load){.gpus = s->gpus, .layers = value[EDGES].count, .dim = value[DIM].v[0]};
    load->element_bytes = value[ROW_BYTES].v[0] / load->dim;
    for (int g = 0; g < s->gpus; g++) {
        struct epoch_gpu *gpu = &load->gpu[g];
        gpu->batches = 1;
        for (int l = 0; l <= load->layers; l++) gpu->vertices[l] = batch * value[VERTICES].v[l];
        for (int l = 1; l <= load->layers; l++) gpu->edges[l] = batch * value[EDGES].v[l - 1];
        gpu->feature_bytes = host * bytes;
        gpu->feature_payload = gpu->peer_payload = value[ROW_BYTES].v[0];
        gpu->memory_bytes = (1 - host) * bytes;
        for (int b = 0; b < s->gpus; b++)
            if (b != g) gpu->peer_bytes[b] = (1 - host) * bytes / s->gpus / value[NODES].v[0];
    }
}

/* Seconds of rows from other servers, over as many NICs as the server has. */
static double network(const struct server *s, const struct model_value *value)
{
    double n = value[NODES].v[0], gbps = 0;
    double bytes = value[BATCH].v[0] * value[VERTICES].v[0] * value[ROW_BYTES].v[0] * (1 - value[FROM_HOST].v[0]);
    for (int i = 0; i < s->places.nics; i++) gbps += s->places.nic[i].gbps;
    return n > 1 ? s->gpus * bytes * (n - 1) / n / (1e9 * gbps) : 0;
}

static double rgat_step_predict(const struct server *s, const struct model_value *value, const double *parameter)
{
    struct epoch_setup how = {.gnn = {GNN_RGAT, (uint64_t)value[HIDDEN].v[0], (uint64_t)value[CLASSES].v[0]},
                              .mixed = true,
                              .relations = value[RELATIONS].v[0],
                              .types = value[TYPES].v[0],
                              .efficiency = parameter[EFFICIENCY],
                              .step_seconds = parameter[STEP],
                              .reads = parameter[READS],
                              .cpu = cpu_part_none()};
    struct err lacking = {0};
    ON_HEAP_OR(struct epoch_load, load, &lacking, NAN);
    ON_HEAP_OR(struct epoch_time, t, &lacking, NAN);
    if (value[VERTICES].count != value[EDGES].count + 1 || value[EDGES].count > HOPS_MAX) return NAN;
    load_of(s, value, load);
    epoch_time(load, s, &how, t);
    t->stage[STAGE_NETWORK] = network(s, value);
    return t->unknowns ? NAN : epoch_pipelined(t->stage, ALL_STAGES, EPOCH_UNOVERLAPPED);
}

const struct validation_model validation_model_rgat_step = {.name = "rgat-step",
                                                            .summary = "a training step of R-GAT in mixed precision, "
                                                                       "by the time model itself",
                                                            .unit = "s",
                                                            .server = true,
                                                            .inputs = inputs,
                                                            .parameters = parameters,
                                                            .predict = rgat_step_predict};
