/* Legion, figure 10: who reads feature bytes from whom. */
#include <math.h>

#include "planner/claims/paper_figure.h"

static const struct {
    const char *policy, *name;
} systems[] = {{"gnnlab", "GNNLab"},
               {"pagraph-plus", "PaGraph-plus"},
               {"quiver-plus", "Quiver-plus"},
               {"legion-topocpu", "Legion"}};

/* Feature bytes that GPU i reads from source j (the last is the host). None of these systems caches topology on a
 * trainer, so only the host column of the traffic matrix holds bytes of sampling, too; there the rows are counted. */
static double feature_bytes(const doc *simulated, uint64_t i, uint64_t j, double row_bytes)
{
    const doc *matrix = doc_get(simulated, "traffic_bytes");
    if (j < doc_size(matrix)) return doc_real_value(doc_at(doc_at(matrix, i), j), NAN);
    return row_bytes *
           doc_real_value(doc_get(doc_get(doc_at(doc_get(simulated, "gpus"), i), "feature_rows"), "host"), NAN);
}

/* The mean of what GNNLab's trainers read from the host. */
static double unit(const doc *simulated, double row_bytes)
{
    double sum = 0;
    int readers = 0;
    uint64_t gpus = doc_size(doc_get(simulated, "traffic_bytes"));
    for (uint64_t i = 0; i < gpus; i++) {
        double v = feature_bytes(simulated, i, gpus, row_bytes);
        sum += v;
        readers += v > 0;
    }
    return readers ? sum / readers : NAN;
}

static void fill(struct figure_data *data, struct figure_data_panel *p, const doc *simulated, double row_bytes,
                 double one)
{
    char reader[24], source[24];
    uint64_t gpus = doc_size(doc_get(simulated, "traffic_bytes"));
    for (uint64_t i = 0; i < gpus; i++)
        for (uint64_t j = 0; j <= gpus; j++) {
            snprintf(reader, sizeof reader, "GPU %d", (int)i);
            snprintf(source, sizeof source, j < gpus ? "%d" : "host", (int)j);
            figure_data_add(data, p, reader, figure_data_category(data, p, source),
                            feature_bytes(simulated, i, j, row_bytes) / one);
        }
}

static enum st measure(struct repro *repro, struct err *err)
{
    enum st st;
    doc *rows = NULL;
    const struct repro_graph *g;
    struct repro_setup u = {REPRO_LEGION, .set = "papers100m",
                            .policies = "gnnlab,pagraph-plus,quiver-plus,legion-topocpu", .budgets = "2.5%V",
                            .servers = "dgx-v100"};
    TRY(repro_graph(repro, u.set, u.train_share, &g, err));
    TRY(repro_compare(repro, &u, &rows, err));
    double bytes = (double)g->g.row_bytes,
           one = unit(doc_get(repro_row(rows, "dgx-v100", "gnnlab", NULL), "simulated"), bytes);
    for (int s = 0; s < 4; s++)
        fill(repro->data,
             figure_data_panel(repro->data, FIGURE_DATA_MATRIX, systems[s].name, "source: GPU or host", "reader"),
             doc_get(repro_row(rows, "dgx-v100", systems[s].policy, NULL), "simulated"), bytes, one);
done:
    doc_free(rows);
    return st;
}

static void judge(const struct figure_data *data, struct finding *f)
{
    double sum[4] = {0}, most[4] = {0};
    for (int p = 0; p < 4; p++) {
        for (int i = 0; p < data->count && i < data->panel[p].count; i++) {
            double v = figure_data_at(data, p, data->panel[p].series[i].name, data->panel[p].categories - 1);
            sum[p] += v;
            most[p] = isnan(v) || isnan(most[p]) ? NAN : fmax(most[p], v);
        }
        if (p >= data->count || !data->panel[p].count) sum[p] = most[p] = NAN;
    }
    if (finding_known(&f[0], sum, 4))
        finding_set(&f[0], sum[3] < sum[0] && sum[3] < sum[1] && sum[3] < sum[2],
                    "sum of the host columns: GNNLab %.2f, PaGraph-plus %.2f, Quiver-plus %.2f, Legion %.2f", sum[0],
                    sum[1], sum[2], sum[3]);
    if (finding_known(&f[1], most, 4))
        finding_set(&f[1], most[3] < most[1], "busiest GPU: Legion %.3f, PaGraph-plus %.3f of GNNLab's mean", most[3],
                    most[1]);
}

const struct paper_figure paper_figure_legion_fig10 =
    {.name = "legion-fig10",
     .title = "Feature bytes by reader and source on DGX-V100",
     .paper = "Legion (ATC'23)",
     .place = "figure 10, section 6.3.2",
     .caption = "A row is the GPU that reads, a column the memory that serves it; the last column is the host over "
                "PCIe. Bytes over the held-out epochs, 1 = what a GNNLab trainer reads "
                "from the host. Every GPU holds feature rows of 2.5 % of the vertices.",
     .differs = "GNNLab's first GPU samples and reads no features here. The diagonal is the GPU's own memory, which "
                "the paper does not draw.",
     .seconds = 3,
     .claim = {{"Legion moves the fewest bytes from CPU to GPU of the four systems.",
                "smallest sum of the host "
                "column",
                "smallest, as the paper says",
                "Legion\xE2\x80\x99"
                "s data transferring volume from CPU to GPU is the smallest, indicating the best cache performance "
                "among the compared systems"},
               {"Legion's busiest GPU reads less from the host than PaGraph-plus's busiest, though some of its GPUs "
                "read more.",
                "largest cell of the host column is smaller", "smaller, as the paper says",
                "although Legion\xE2\x80\x99"
                "s CPU-GPU volumes on some GPUs are higher than PaGraph-plus, Legion can still outperform PaGraph-plus "
                "because its largest CPU-GPU volume is lower than that of PaGraph-plus"}},
     .measure = measure,
     .judge = judge};
