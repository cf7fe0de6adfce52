#include "hwprofiles/model/server_fields.h"

#include "hwprofiles/model/server.h"
#include "hwprofiles/model/server_provenance.h"

#define NEEDED FIELD_NEEDED
#define OR_NULL FIELD_NULL
#define S struct server
#define INTEGER(k, T, m, l, h, un, fl, u, text)                                                                        \
    {                                                                                                                  \
        .key = k, .kind = FIELD_INTEGER, FIELD_TO(T, m), .low = l, .high = h, .absent = un, .flags = fl, .unit = u,    \
        .help = text                                                                                                   \
    }
#define PLACE(k, T, m, fl, text) INTEGER(k, T, m, 0, SERVER_PLACE_MAX, -1, fl, NULL, text)
#define REAL(k, T, m, l, h, fl, u, text)                                                                               \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REAL, FIELD_TO(T, m), .least = l, .most = h, .flags = fl, .unit = u, .help = text      \
    }
/* A constant that others are divided by, left out where it is not known; GB/s. */
#define RATE(k, T, m, h, u, text) REAL(k, T, m, 1e-6, h, 0, u, text)
#define GBPS(k, T, m, h, fl, text) REAL(k, T, m, 1e-3, h, fl, "GB/s", text)
#define SIZE(k, T, m, fl, text)                                                                                        \
    {                                                                                                                  \
        .key = k, .kind = FIELD_SIZE, FIELD_TO(T, m), .flags = fl, .unit = "bytes", .help = text                       \
    }
#define TEXT(k, T, m, text)                                                                                            \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, FIELD_TO(T, m), .flags = FIELD_WHOLE | FIELD_NULL, .help = text                  \
    }
/* A text that is only checked. */
#define STATED(k, most_bytes, text)                                                                                    \
    {                                                                                                                  \
        .key = k, .kind = FIELD_TEXT, .high = most_bytes, .flags = FIELD_WHOLE, .help = text                           \
    }
#define LIST(k, T, m, n, fields, text, ...)                                                                            \
    {                                                                                                                  \
        .key = k, .kind = FIELD_LIST, FIELD_EACH(T, m, n), .of = fields, .help = text, __VA_ARGS__                     \
    }
#define OBJECT(k, fields, fl, text)                                                                                    \
    {                                                                                                                  \
        .key = k, .kind = FIELD_OBJECT, .of = fields, .flags = fl, .help = text                                        \
    }

static const char *const flows[] = {"stepwise", "streamed", NULL}, *const schemas[] = {"server/1", NULL};

#define G struct server_gpu
const struct field server_gpu_fields[] =
    {INTEGER("id", G, id, 0, SERVER_GPU_ID_MAX, -1, NEEDED, NULL, "The number that the system gives the GPU."),
     TEXT("model", G, model, "The name of the model."),
     SIZE("memory_bytes", G, memory_bytes, OR_NULL, "Its memory."),
     PLACE("switch", G, pcie_switch, OR_NULL, "The number of the PCIe switch or root port above it."),
     PLACE("socket", G, socket, OR_NULL, "The number of its CPU socket."),
     RATE("memory_gbps", G, memory_gbps, 1e6, "GB/s", "The bandwidth of its memory."),
     RATE("tflops", G, tflops, 1e6, "10^12 operations/s", "Its peak in float32; a multiply-and-add counts as two."),
     RATE("training_efficiency", G, efficiency, 1, NULL, "The share of memory_gbps and tflops that training reaches."),
     RATE("training_compute_efficiency", G, compute_efficiency, 1, NULL,
          "The share of tflops that updates reach; absent: that of training_efficiency."),
     RATE("training_layer_seconds", G, layer_seconds, 10, "s",
          "What a layer of a mini-batch takes whatever its size (launches of kernels)."),
     RATE("sampling_edges_per_second", G, sampling_edges, 1e15, "edges/s",
          "How fast it samples from topology in its own memory."),
     {.key = "dataflow",
      .kind = FIELD_WORD,
      FIELD_TO(G, streamed),
      .words = flows,
      .help = "stepwise: a layer aggregates, then updates; streamed: it does both at once (FPGA kernels)."},
     FIELDS_END};

static const struct field link_fields[] =
    {{.key = "a", .kind = FIELD_INTEGER, .high = SERVER_GPU_ID_MAX, .flags = NEEDED, .help = "The id of a GPU."},
     {.key = "b", .kind = FIELD_INTEGER, .high = SERVER_GPU_ID_MAX, .flags = NEEDED, .help = "The id of another GPU."},
     {.key = "links",
      .kind = FIELD_INTEGER,
      .low = 1,
      .high = SERVER_LINKS_MAX,
      .flags = OR_NULL,
      .help = "How many NVLinks join the two; null, for all pairs, where it is not known."},
     {.key = "gbps",
      .kind = FIELD_REAL,
      .least = 1e-3,
      .most = 1e6,
      .unit = "GB/s",
      .help = "What these links carry together in one direction."},
     FIELDS_END};

static const struct field rate_fields[] = {INTEGER("payload_bytes", struct server_rate, payload_bytes, 1,
                                                   (int64_t)1 << 40, 0, NEEDED, "bytes", "The size of a request."),
                                           GBPS("gbps", struct server_rate, gbps, 1e6, NEEDED,
                                                "What such requests get."),
                                           FIELDS_END};
static const struct field pcie_read_fields[] = {RATE("gbps", S, pcie_read.gbps, 1e6, "GB/s",
                                                     "What all GPUs below an uplink get together."),
                                                RATE("requests_per_second", S, pcie_read.requests, 1e15, "1/s",
                                                     "Requests of one GPU."),
                                                FIELDS_END};
const struct field server_pcie_fields[] =
    {INTEGER("generation", S, pcie_generation, 1, 9, 0, OR_NULL, NULL, "The PCIe generation."),
     INTEGER("width", S, pcie_width, 1, 32, 0, OR_NULL, "lanes", "The width of a link."),
     GBPS("gbps", S, pcie_gbps, 1e6, OR_NULL, "From the host to the GPUs below one switch; the line rate."),
     RATE("copy_gbps", S, pcie_copy_gbps, 1e6, "GB/s",
          "What copies of 1 MiB and more get, for which GPUs have an engine; absent: as read.gbps."),
     RATE("write_gbps", S, pcie_write_gbps, 1e6, "GB/s", "From a GPU to the host; absent: as in the other direction."),
     RATE("while_writing", S, pcie_while_writing, 1, NULL,
          "The share of a GPU's reads that is left while it writes as well; absent: all of them."),
     OBJECT("read", pcie_read_fields, 0, "The two limits of reads at random places."),
     LIST("effective", S, pcie_rate, pcie_rates, rate_fields, "Measured rates, by ascending payload_bytes.",
          .least = 1),
     FIELDS_END};
static const struct field nvlink_fields[] = {RATE("share", S, nvlink_share, 1, NULL,
                                                  "The share of the links' gbps that reads of peers reach."),
                                             RATE("requests_per_second", S, nvlink_requests, 1e15, "1/s",
                                                  "Requests of one GPU to its peers."),
                                             FIELDS_END};

static const struct field cpu_gather_fields[] = {RATE("gbps", S, cpu_gather.gbps, 1e6, "GB/s", "Of long rows."),
                                                 RATE("rows_per_second", S, cpu_gather.requests, 1e15, "1/s",
                                                      "Of short rows; a row takes the times of both together."),
                                                 REAL("start_seconds", S, cpu_gather_start, 1e-9, 10, 0, "s",
                                                      "What a gather takes whatever its size."),
                                                 FIELDS_END};

#define AXIS(k, m, n, u, text)                                                                                         \
    {                                                                                                                  \
        .key = k, .kind = FIELD_REALS, FIELD_EACH(S, m, n), .least = 1, .low = 1, .high = (int64_t)1e12,               \
        .flags = NEEDED, .unit = u, .help = text                                                                       \
    }
static const struct field cpu_sampling_fields[] = {AXIS("threads", cpu_sampling.thread, cpu_sampling.threads, "threads",
                                                        "Numbers of threads, ascending."),
                                                   AXIS("batch", cpu_sampling.batch, cpu_sampling.batches, "seeds",
                                                        "Sizes of mini-batches, ascending."),
                                                   {.key = "edges_per_second",
                                                    .kind = FIELD_REALS,
                                                    .least = 1,
                                                    .most = CPU_SAMPLING_MOST,
                                                    .high = (int64_t)1e15,
                                                    .flags = NEEDED | FIELD_NESTED,
                                                    .unit = "edges/s",
                                                    .help = "A row per number of threads, and in it a rate per size of "
                                                            "mini-batch."},
                                                   FIELDS_END};

#define N struct server_numa
static const struct field numa_fields[] = {INTEGER("id", N, id, 0, SERVER_PLACE_MAX, -1, NEEDED, NULL,
                                                   "The number of the node; nodes ascend by it."),
                                           PLACE("socket", N, socket, OR_NULL, "The CPU socket that it belongs to."),
                                           SIZE("memory_bytes", N, memory_bytes, OR_NULL, "Its DRAM."),
                                           GBPS("gbps", N, gbps, 1e5, OR_NULL, "The bandwidth of its DRAM."),
                                           {.key = "distances",
                                            .kind = FIELD_INTEGERS,
                                            FIELD_EACH(N, distance, distances),
                                            .low = 1,
                                            .high = 1000,
                                            .flags = OR_NULL,
                                            .help = "To every node in the order of the list, as firmware states them: "
                                                    "10 is local, 20 about twice as far."},
                                           FIELDS_END};
#define L struct server_socket_link
static const struct field socket_link_fields[] =
    {INTEGER("a", L, a, 0, SERVER_PLACE_MAX, -1, NEEDED, NULL, "A socket."),
     INTEGER("b", L, b, 0, SERVER_PLACE_MAX, -1, NEEDED, NULL, "Another socket."),
     GBPS("gbps", L, gbps, 1e5, OR_NULL, "In one direction over all links between the two."), FIELDS_END};
#define C struct server_nic
static const struct field nic_fields[] =
    {TEXT("name", C, name, "A name that no other NIC of the server has."),
     GBPS("gbps", C, gbps, 1000, OR_NULL, "In one direction over all ports; a NIC of 200 Gbit/s has 25."),
     PLACE("switch", C, pcie_switch, OR_NULL, "The number of the PCIe switch above it."),
     PLACE("socket", C, socket, OR_NULL, "The number of its CPU socket."),
     INTEGER("rail", C, rail, 0, SERVER_RAIL_MAX, -1, OR_NULL, NULL, "Which network of the cluster it is on."),
     FIELDS_END};
#define D struct server_nvme
static const struct field nvme_fields[] = {TEXT("name", D, name, "The name of the device."),
                                           TEXT("drive", D, drive, "A name of `hotset list drives`."),
                                           SIZE("bytes", D, bytes, OR_NULL, "What it holds."),
                                           PLACE("switch", D, pcie_switch, OR_NULL,
                                                 "The number of the PCIe switch above it."),
                                           PLACE("socket", D, socket, OR_NULL, "The number of its CPU socket."),
                                           FIELDS_END};

static const struct field provenance_fields[] = {STATED("what", 1023, "The key of the number."),
                                                 {.key = "kind",
                                                  .kind = FIELD_WORD,
                                                  .words = server_provenance_kinds,
                                                  .flags = NEEDED,
                                                  .help = "measured on such a machine, stated by its vendor, or "
                                                          "assumed by whoever wrote the file."},
                                                 STATED("source", 1023,
                                                        "A sentence that names the document or the measurement."),
                                                 FIELDS_END};

const struct field server_fields[] =
    {{.key = "schema", .kind = FIELD_WORD, .words = schemas, .flags = NEEDED, .help = "The name of this form."},
     TEXT("name", S, name, "The name of the server; absent: that of its file."),
     TEXT("description", S, description, "A sentence about it."),
     LIST("gpus", S, gpu, gpus, server_gpu_fields, "Its GPUs.", .least = 1, .flags = NEEDED | FIELD_PAIRED),
     {.key = "nvlinks",
      .kind = FIELD_LIST,
      .of = link_fields,
      .flags = OR_NULL,
      .help = "Pairs of GPUs that NVLinks join, each once; [] where there are none."},
     {.key = "cliques",
      .kind = FIELD_INTEGERS,
      .high = SERVER_GPU_ID_MAX,
      .flags = OR_NULL | FIELD_NESTED,
      .help = "Ids of GPUs that are all joined with each other. They follow from nvlinks, so users leave them out."},
     INTEGER("cls", S, line_bytes, 4, 4096, 0, OR_NULL, "bytes",
             "What one PCIe read carries, a multiple of 4; absent: 64."),
     OBJECT("pcie", server_pcie_fields, OR_NULL, "The links between GPUs and host."),
     INTEGER("sockets", S, sockets, 1, 1024, 0, OR_NULL, NULL, "How many CPU sockets it has."),
     INTEGER("cores", S, cores, 1, 1000000, 0, OR_NULL, NULL, "How many CPU cores it has."),
     SIZE("host_memory_bytes", S, host_memory_bytes, OR_NULL, "The DRAM of all sockets."),
     RATE("host_memory_gbps", S, host_memory_gbps, 1e6, "GB/s", "The bandwidth of the DRAM of all sockets."),
     RATE("cpu_tflops", S, cpu_tflops, 1e6, "10^12 operations/s", "The peak of all cores in float32."),
     RATE("cpu_sampling_edges_per_second", S, cpu_sampling_edges, 1e15, "edges/s", "How fast all cores sample."),
     OBJECT("cpu_sampling", cpu_sampling_fields, 0,
            "How fast the CPU samples, measured; it takes the place of cpu_sampling_edges_per_second."),
     OBJECT("cpu_gather", cpu_gather_fields, 0,
            "How fast all cores gather feature rows at random places; absent: by a rule, 9 % of host_memory_gbps."),
     OBJECT("nvlink_read", nvlink_fields, 0, "Limits of reads of peers at random places."),
     {.key = "price_per_hour", .kind = FIELD_REAL, .most = 1e6, .help = "What an hour of it costs."},
     {.key = "purchase_price", .kind = FIELD_REAL, .most = 1e12, .help = "What it costs to buy (size --buy list)."},
     STATED("ssd", 255, "Its drives, as 4xgen4 (`hotset list drives`)."),
     LIST("numa", S, places.numa, places.numas, numa_fields,
          "NUMA nodes: DRAM that the cores of a socket reach alike."),
     LIST("socket_links", S, places.socket_link, places.socket_links, socket_link_fields,
          "Pairs of sockets that links join, each once."),
     LIST("nics", S, places.nic, places.nics, nic_fields, "Network cards."),
     LIST("nvme", S, places.nvme, places.nvmes, nvme_fields, "NVMe drives."),
     {.key = "fingerprint",
      .kind = FIELD_TEXT,
      FIELD_TO(S, fingerprint),
      .high = 255,
      .flags = FIELD_WHOLE,
      .help = "A checksum of what planning uses. It is computed again, so users leave it out."},
     {.key = "provenance", .kind = FIELD_LIST, .of = provenance_fields, .help = "Where each number comes from."},
     FIELDS_END};
