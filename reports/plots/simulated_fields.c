/* simulated_fields.c - the keys of the member `simulated`, of a row of results/1 and of plans: what held-out epochs
 * read. All counts are means of an epoch, but for `reads`, which are of all epochs. */
#include "reports/plots/result_fields.h"

#define R struct result_row
#define LINES "PCIe transactions."
#define WIRE "With headers."
#define ID KEY_COUNT("id", "The number of the GPU.")
#define NODE KEY_COUNT("node", "The server that it is of, where there are several.")

/* ---- who serves ---- */

const struct field simulated_served_fields[] = {KEY_COUNT("local", "Its own memory."), KEY_COUNT("peer", "Other GPUs."),
                                                KEY_COUNT("host", "The host, and what lies below it."), FIELDS_OPEN};
static const struct field kind_fields[] = {KEY_OBJECT("reads", simulated_served_fields,
                                                      "Who serves reads, in all epochs."),
                                           KEY_SHARE("hit_rate", "Of reads, what GPU memory serves."),
                                           KEY_NUMBER("transactions", NULL, LINES),
                                           KEY_NUMBER("uncached_transactions", NULL, "With nothing cached."),
                                           FIELDS_OPEN};
static const struct field kinds_fields[] = {KEY_OBJECT("topology", kind_fields, "Rows of relations."),
                                            KEY_OBJECT("feature", kind_fields, "Feature rows of vertices."),
                                            KEY_OBJECT("edge_feature", kind_fields, "Feature rows of edges."),
                                            FIELDS_OPEN};
static const struct field table_fields[] = {KEYS_OF_TABLE,
                                            KEY_OBJECT("reads", simulated_served_fields,
                                                       "Who serves reads, in all epochs."),
                                            KEY_SHARE("hit_rate", "Of reads, what GPU memory serves."),
                                            KEY_NUMBER("transactions", NULL, LINES),
                                            KEY_NUMBER("uncached_transactions", NULL, "With nothing cached."),
                                            FIELDS_OPEN};
static const struct field gpu_table_fields[] = {KEYS_OF_TABLE,
                                                KEY_OBJECT("reads", simulated_served_fields,
                                                           "Who serves reads, in all epochs."),
                                                FIELDS_OPEN};
static const struct field part_fields[] = {KEY_NUMBER("topology", NULL, "Of topology."),
                                           KEY_NUMBER("feature", NULL, "Of features."),
                                           KEY_NUMBER("total", NULL, "Of both."), FIELDS_OPEN};
static const struct field gpu_fields[] = {ID,
                                          NODE,
                                          KEY_OBJECT("feature_rows", simulated_served_fields,
                                                     "Who serves feature rows, in all epochs."),
                                          KEY_OBJECT("topology_visits", simulated_served_fields,
                                                     "Who serves visits of topology, in all epochs."),
                                          KEY_OBJECT("transactions", part_fields, LINES),
                                          KEY_LIST("tables", gpu_table_fields, "Of several types: the same by table."),
                                          FIELDS_OPEN};

/* ---- times ---- */

static const struct field stage_fields[] = {KEY_SECONDS("sample", "Drawing neighbours."),
                                            KEY_SECONDS("load", "Gathering rows on the host."),
                                            KEY_SECONDS("transfer", "Reading over PCIe and NVLink."),
                                            KEY_SECONDS("propagate", "Computing."),
                                            KEY_SECONDS("storage", "Reading SSDs."),
                                            KEY_SECONDS("sync", "Of propagate, exchanging gradients."),
                                            FIELDS_OPEN};
static const struct field limit_fields[] = {KEY_TEXT("sample", "Drawing neighbours."),
                                            KEY_TEXT("load", "Gathering rows on the host."),
                                            KEY_TEXT("transfer", "Reading over PCIe and NVLink."),
                                            KEY_TEXT("propagate", "Computing."),
                                            KEY_TEXT("network", "Reading other servers."),
                                            KEY_TEXT("storage", "Reading SSDs."),
                                            FIELDS_OPEN};
static const struct field timed_gpu_fields[] = {ID, KEY_SECONDS("sample", "Drawing neighbours."),
                                                KEY_SECONDS("transfer", "Reading over PCIe and NVLink."),
                                                KEY_SECONDS("propagate", "Computing."), FIELDS_OPEN};
static const struct field calibration_fields[] =
    {KEY_COUNT("points", "Measured epochs behind it."),
     KEY_SIGNED("a_seconds", "seconds", "What is added."),
     KEY_SIGNED("b", NULL, "What the model's seconds are multiplied by."),
     KEY_NUMBER("residual_rms", NULL, "How far the points are off, root of the mean square, a share."),
     KEY_SIGNED("residual_worst", NULL, "The point that is farthest off, a share."),
     KEY_NUMBER("held_out_rms", NULL, "How far each is off when the others calibrate, a share."),
     FIELDS_OPEN};
static const struct field time_fields[] =
    {KEY_SIGNED("seconds", "seconds", "An epoch by the model, calibrated.", FIELD_TO(R, epoch_seconds)),
     KEY_SECONDS("model_seconds", "An epoch by the model alone."),
     KEY_TEXTS("unknown", "Constants that the server's description lacks; then there are no times."),
     KEY_FLAG("pipelined", "Whether stages of different mini-batches run at once."),
     KEY_SHARE("unoverlapped", "Of all stages but the longest, what it does not hide."),
     KEY_TEXT("prefetch", "How stages are joined: one-stage."),
     KEY_TEXT("model", "The model that is trained."),
     KEY_TEXT("precision", "mixed or tf32, where the model is computed so."),
     KEY_COUNT("hidden", "Elements of a hidden layer."),
     KEY_COUNT("classes", "Elements of the last layer."),
     KEY_SHARE("cpu_share", "The share of training vertices that the CPU trains."),
     KEY_NUMBER("iterations", NULL, "Of an epoch, of each GPU."),
     KEY_SECONDS("execution_seconds", "Of an iteration."),
     KEY_OBJECT("stages", stage_fields, "Seconds of an iteration."),
     KEY_TEXT("bottleneck", "The longest stage."),
     KEY_TEXT("limited_by", "What it waits for."),
     KEY_OBJECT("limits", limit_fields, "What each stage waits for."),
     KEY_NUMBER("mteps", "million edges/s", "Edges of mini-batches that are trained."),
     KEY_LIST("gpus", timed_gpu_fields, "Seconds of an iteration, GPU by GPU."),
     KEY_OBJECT("calibration", calibration_fields, "How measured epochs correct the model."),
     KEY_SECONDS("without_cache_seconds", "An epoch with nothing cached."),
     KEY_RANGE("interval", "seconds", "Of an epoch: 90 % of measured points are between them."),
     KEY_FLAG("shorter_than_measured", "Whether an iteration takes less than any that was measured."),
     FIELDS_OPEN};

/* ---- bytes that move ---- */

static const struct field bytes_fields[] = {KEY_NUMBER("transactions", NULL, LINES),
                                            KEY_BYTES("useful_bytes", "What was asked for."),
                                            KEY_BYTES("line_bytes", "In whole cache lines."),
                                            KEY_BYTES("wire_bytes", WIRE), FIELDS_OPEN};
#define PCIE_KEYS                                                                                                      \
    KEY_OBJECT("topology", bytes_fields, "Reads of topology."),                                                        \
        KEY_OBJECT("feature", bytes_fields, "Reads of feature rows."),                                                 \
        KEY_OBJECT("blocks", bytes_fields, "Copied blocks of what the CPU or other GPUs sampled."),                    \
        KEY_OBJECT("total", bytes_fields, "All of it."),                                                               \
        KEY_NUMBER("read_amplification", NULL, "wire_bytes / useful_bytes of all.")
static const struct field pcie_gpu_fields[] = {ID, PCIE_KEYS, FIELDS_OPEN};
static const struct field pcie_total_fields[] = {PCIE_KEYS, FIELDS_OPEN};
static const struct field switch_fields[] = {KEY_COUNT("switch", "Its number."),
                                             KEY_NUMBER("transactions", NULL, LINES), KEY_BYTES("wire_bytes", WIRE),
                                             FIELDS_OPEN};
static const struct field socket_fields[] = {KEY_COUNT("socket", "Its number."),
                                             KEY_NUMBER("transactions", NULL, LINES), KEY_BYTES("wire_bytes", WIRE),
                                             FIELDS_OPEN};
#define ENDS KEY_COUNT("from", "The GPU that sends."), KEY_COUNT("to", "The GPU that receives.")
static const struct field peer_fields[] = {ENDS, KEY_BYTES("bytes", "Useful ones."), KEY_BYTES("wire_bytes", WIRE),
                                           FIELDS_OPEN};
static const struct field pcie_fields[] =
    {KEY_BYTES("header_bytes", "Of a packet."),
     KEY_BYTES("read_payload_bytes", "Of a read."),
     KEY_BYTES("copy_payload_bytes", "Of a packet of a copy."),
     KEY_LIST("gpus", pcie_gpu_fields, "What each GPU reads."),
     KEY_OBJECT("total", pcie_total_fields, "What all GPUs read."),
     KEY_OBJECT("written", bytes_fields, "Blocks that sampler GPUs write to the host."),
     KEY_LIST("switches", switch_fields, "By PCIe switch; null: places of GPUs are not known."),
     KEY_LIST("sockets", socket_fields, "By socket; null: places of GPUs are not known."),
     KEY_LIST("peers", peer_fields, "Between GPUs below one switch."),
     FIELDS_OPEN};
static const struct field link_fields[] = {ENDS, KEY_COUNT("nvlinks", "How many NVLinks join the two."),
                                           KEY_BYTES("bytes", "Over them."),
                                           KEY_SHARE("share_of_all", "Of the bytes over all links."), FIELDS_OPEN};
static const struct field busiest_fields[] = {ENDS, KEY_BYTES("bytes", "Over it."), FIELDS_OPEN};
static const struct field nvlink_fields[] = {KEY_LIST("links", link_fields, "Every pair that sends over NVLinks."),
                                             KEY_BYTES("feature_bytes", "Feature rows, each counted once."),
                                             KEY_BYTES("topology_bytes", "Topology, likewise."),
                                             KEY_BYTES("total_bytes", "Over all links, hop by hop."),
                                             KEY_OBJECT("max_per_link", busiest_fields, "The busiest link."),
                                             FIELDS_OPEN};
static const struct field method_fields[] = {KEY_BYTES("pcie_bytes", "Over PCIe."),
                                             KEY_BYTES("nvlink_bytes", "Over NVLinks, each byte once."),
                                             KEY_BYTES("nvlink_link_bytes", "Over NVLinks, hop by hop."),
                                             KEY_BYTES("total_bytes", "Of both."),
                                             KEY_NUMBER("of_ideal", NULL, "How often the ideal's bytes."),
                                             FIELDS_OPEN};
static const struct field methods_fields[] = {KEY_OBJECT("ideal", method_fields, "Needed bytes alone."),
                                              KEY_OBJECT("uva", method_fields, "All topology is read from the host."),
                                              KEY_OBJECT("pull", method_fields, "Cached rows are read from peers."),
                                              KEY_OBJECT("push", method_fields, "Peers draw, and send neighbours."),
                                              KEY_OBJECT("taken", method_fields, "As the plan does."),
                                              FIELDS_OPEN};
static const struct field sampling_fields[] = {KEY_TEXT("taken", "How the plan samples."),
                                               KEY_OBJECT("methods", methods_fields, "What each way moves."),
                                               FIELDS_OPEN};
static const struct field movement_fields[] = {KEY_OBJECT("pcie", pcie_fields, "Over PCIe."),
                                               KEY_OBJECT("nvlink", nvlink_fields, "Over NVLinks."),
                                               KEY_OBJECT("sampling", sampling_fields, "Of sampling, by method."),
                                               FIELDS_OPEN};

/* ---- below the GPUs ---- */

static const struct field memory_fields[] = {KEY_TEXT("name", "Of the memory."),
                                             KEY_TEXT("kind", "dram, node or ssd."),
                                             KEY_NUMBER("feature_rows", NULL, "That it serves."),
                                             KEY_NUMBER("feature_lines", NULL, "Cache lines of them."),
                                             KEY_NUMBER("topology_visits", NULL, "That it serves."),
                                             KEY_NUMBER("topology_lines", NULL, "Cache lines of them."),
                                             KEY_NUMBER("other_socket_lines", NULL,
                                                        "Of all these, those that GPUs of other sockets ask for."),
                                             KEY_SECONDS("seconds", "What reads of it take, mean of GPUs."),
                                             FIELDS_OPEN};
static const struct field drive_fields[] = {KEY_NUMBER("blocks", NULL, "That SSDs read."),
                                            KEY_BYTES("bytes", "The same."), KEY_SECONDS("seconds", "That it takes."),
                                            KEY_TEXT("limit", "What it waits for."), FIELDS_OPEN};
static const struct field below_time_fields[] = {KEY_SECONDS("seconds", "An epoch with reads of SSDs."),
                                                 KEY_SECONDS("without_ssd_seconds", "Without them."), FIELDS_OPEN};
static const struct field cache_fields[] = {KEY_TEXT("cache", "The rule by which DRAM holds rows."),
                                            KEY_COUNT("rows", "That DRAM has room for."),
                                            KEY_COUNT("requests", "Rows that GPUs ask the host for, in all epochs."),
                                            KEY_COUNT("misses", "Those that DRAM does not hold."),
                                            KEY_SHARE("miss_rate", "misses / requests."),
                                            KEY_SHARE("static_miss_rate", "The same with the rows that the plan holds "
                                                                          "there."),
                                            KEY_NUMBER("blocks_per_epoch", NULL, "That SSDs read."),
                                            KEY_SECONDS("ssd_seconds", "That it takes."),
                                            FIELDS_OPEN};
static const struct field memories_fields[] = {KEY_LIST("places", memory_fields, "What each memory serves."),
                                               KEY_SECONDS("seconds", "What all their reads take, mean of GPUs."),
                                               KEY_OBJECT("ssd", drive_fields, "What SSDs read."),
                                               KEY_OBJECT("epoch", below_time_fields,
                                                          "How long an epoch takes with it."),
                                               KEY_LIST("caches", cache_fields,
                                                        "Rules by which DRAM could hold rows instead."),
                                               FIELDS_OPEN};

const struct field simulated_fields[] =
    {KEY_COUNT("nodes", "Servers that this is the sum of, where there are several."),
     KEY_NUMBER("epochs", NULL, "Held-out epochs.", FIELD_TO(R, epochs)),
     KEY("seed", FIELD_INTEGER, "Of these epochs.", .low = INT64_MIN, .high = INT64_MAX),
     KEYS_OF_RATES(simulated),
     KEY("total_interval", FIELD_REALS, "Confidence interval of total_transactions, low and high.", .low = INT64_MIN,
         .high = INT64_MAX, .least = 2, FIELD_EACH(R, interval, ends)),
     KEY_SIGNED("prediction_error", NULL, "predicted / simulated - 1.", FIELD_TO(R, error)),
     KEY_OBJECT("kinds", kinds_fields, "Of several types: by kind of rows."),
     KEY_LIST("tables", table_fields, "Of several types: by table of rows."),
     KEY_LIST("gpus", gpu_fields, "GPU by GPU."),
     KEY("traffic_bytes", FIELD_REALS,
         "Useful bytes of all epochs: a list per GPU that reads, with a number per GPU "
         "that serves and the host's last.",
         .flags = FIELD_NESTED | FIELD_GAPS, .high = INT64_MAX, .unit = "bytes"),
     KEY_NUMBER("max_per_switch", NULL, "Transactions through the busiest PCIe switch.", FIELD_TO(R, max_switch)),
     KEY_NUMBER("max_per_socket", NULL, "Transactions through the busiest socket.", FIELD_TO(R, max_socket)),
     KEY_OBJECT("epoch_time", time_fields, "How long an epoch takes by the model."),
     KEY_OBJECT("movement", movement_fields, "Bytes that move, link by link."),
     KEY_OBJECT("memories", memories_fields, "What memories below the GPUs serve."),
     FIELDS_OPEN};
