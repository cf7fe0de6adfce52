/* nvidia_smi.c - the output of `nvidia-smi topo -m`, also pasted, logged or indented. smi_text.h explains the steps. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/formats/smi_locality.h"

#define AGAIN "save the whole output of: nvidia-smi topo -m"

static int nvidia_smi_probe(const char *text, size_t bytes)
{
    (void)bytes;
    if (!strstr(text, "GPU0")) return 0;
    return strstr(text, "NV#") || strstr(text, "Legend") || strstr(text, "topo") ? 80 : 50;
}

/* Explains why there is no header: the usual ways in which a table loses it. */
static enum st no_header(const struct smi_text *t, struct err *err)
{
    int first = -1;
    for (int i = 0; i < t->lines && first < 0; i++)
        if (strstr(t->line[i], "GPU0")) first = i;
    if (first >= 0 && strchr(t->line[first], '|'))
        return err_set(err, ST_INPUT,
                       "%s, line %d: the table is written with | between its columns (Markdown), but plain text is "
                       "expected; %s",
                       t->name, first + 1, AGAIN);
    if (first >= 0 && strstr(t->line[first], "GPU1") && strstr(strstr(t->line[first], "GPU1"), "GPU0"))
        return err_set(err, ST_INPUT,
                       "%s, line %d: header and rows are on one line, but one line per device is expected; %s", t->name,
                       first + 1, AGAIN);
    return err_set(err, ST_INPUT, "%s: there is no header line (GPU0, GPU1, .. and names of affinity columns); %s",
                   t->name, AGAIN);
}

/* Chooses the matrix: the first of topo -m; one that hides NVLink only when no other shows as many GPUs. */
static enum st nvidia_smi_choose(const struct smi_text *t, const struct smi_blocks *all, int *out, struct err *err)
{
    int chosen = -1;
    if (!all->count) PASS(no_header(t, err));
    for (int k = 0; k < all->count && chosen < 0; k++)
        if (all->block[k].rows && !all->block[k].p2p) chosen = k;
    if (chosen < 0)
        for (int k = 0; k < all->count; k++)
            if (all->block[k].p2p)
                return err_set(err, ST_INPUT,
                               "%s, line %d: this is the table of topo -p2p, which shows peer access and not the "
                               "links; %s",
                               t->name, all->block[k].header + 1, AGAIN);
    if (chosen < 0)
        return err_set(err, ST_INPUT,
                       "%s, line %d: no row of a GPU with cells (X, NV12, PIX, SYS, ..) follows the header; %s",
                       t->name, all->block[0].header + 1, AGAIN);
    for (int k = chosen + 1; k < all->count && all->block[chosen].hides_nvlink; k++)
        if (all->block[k].nvlink && all->block[k].gpus == all->block[chosen].gpus) chosen = k;
    *out = chosen;
    return ST_OK;
}

/* NICs that the tool found and left out of its matrix; 0: none that it says. */
static int nics_left_out(const struct smi_text *t)
{
    int found, shown;
    for (int i = 0; i < t->lines; i++) {
        const char *at = strstr(t->line[i], "NICs found in the topology");
        while (at && at > t->line[i] && !isalpha((unsigned char)at[-1])) at--; /* to the number before it */
        if (at && sscanf(at, "%5d NICs found in the topology, only displaying %5d", &found, &shown) == 2)
            return found - shown;
    }
    return 0;
}

static void warn(const struct smi_text *t, const struct smi_blocks *all, int chosen, char *warning, size_t size)
{
    const struct smi_block *b = &all->block[chosen];
    warning[0] = 0;
    if (all->count > 1 || all->more)
        text_append(warning, size, "%s holds %d%s matrices; the one of line %d was taken, with %d GPUs", t->name,
                    all->count, all->more ? " or more" : "", b->header + 1, b->gpus);
    if (b->hides_nvlink && b->gpus > 1)
        text_append(warning, size,
                    "%s%s shows PCIe paths only (topo -mp, or the legend is missing), so NVLink may be hidden; check "
                    "with: nvidia-smi topo -m",
                    warning[0] ? "; " : "", t->name);
    int more = nics_left_out(t);
    if (more > 0)
        text_append(warning, size, "%s%s: %d NICs of the machine are not in its matrix", warning[0] ? "; " : "",
                    t->name, more);
}

/* GB/s of one link of each GPU, where the text holds `nvidia-smi nvlink -s`, too: "GPU 0: ..", then "Link 3: 26.562
 * GB/s" for each. 0: not stated, or not the same for all of its links. */
static void find_link_rates(const struct smi_text *t, double rate[SERVER_GPUS_MAX])
{
    bool differ[SERVER_GPUS_MAX] = {false};
    int gpu = -1;
    for (int i = 0; i < t->lines; i++) {
        const char *gpu_at = strstr(t->line[i], "GPU "), *link_at = strstr(t->line[i], "Link ");
        char unit[5] = "";
        double gbps;
        int n;
        if (gpu_at && sscanf(gpu_at, "GPU %3d%1[:]", &n, unit) == 2) gpu = n >= 0 && n < SERVER_GPUS_MAX ? n : -1;
        if (gpu < 0 || !link_at || sscanf(link_at, "Link %3d: %lf %4s", &n, &gbps, unit) != 3) continue;
        if (strcmp(unit, "GB/s") || !(gbps > 0) || gbps > 1000) continue;
        differ[gpu] |= rate[gpu] > 0 && rate[gpu] != gbps;
        rate[gpu] = gbps;
    }
    for (int g = 0; g < SERVER_GPUS_MAX; g++)
        if (differ[g]) rate[g] = 0;
}

/* Takes these rates for links whose ends have the same. */
static bool fill_link_rates(const struct smi_text *t, struct server *out)
{
    double rate[SERVER_GPUS_MAX] = {0};
    bool any = false;
    find_link_rates(t, rate);
    for (int i = 0; i < out->gpus; i++)
        for (int j = 0; j < out->gpus; j++) {
            if (!out->links[i][j] || !(rate[i] > 0) || rate[i] != rate[j]) continue;
            out->link_gbps[i][j] = out->links[i][j] * rate[i];
            any = true;
        }
    return any;
}

static void nvidia_smi_fill(const struct smi_table *table, const char *name, struct server *out, char *warning,
                            size_t size)
{
    out->gpus = table->header.gpus;
    out->links_known = true;
    for (int i = 0; i < out->gpus; i++) {
        out->gpu[i].id = i;
        for (int j = 0; j < out->gpus; j++)
            out->links[i][j] = table->row[table->gpu_column[i]].cell[table->gpu_column[j]].links;
    }
    smi_find_locality(table, out, name, warning, size);
}

/* Writes the provenance. */
static enum st note_origin(const struct smi_block *b, bool rated, struct server *out, struct err *err)
{
    if (server_finish(out, NULL, err) != ST_OK) return err->code;
    if (b->hides_nvlink && b->gpus > 1)
        server_provenance_add(out, "nvlinks", "assumed",
                              "none: the source shows PCIe paths only (topo -mp), which hides NVLink");
    else server_provenance_add(out, "nvlinks", "measured", "nvidia-smi topo -m");
    if (rated) server_provenance_add(out, "gbps", "measured", "nvidia-smi nvlink -s, the rate of a link");
    if (server_knows_switches(out))
        server_provenance_add(out, "switch", "measured", "nvidia-smi topo -m: PIX and PXB cells");
    if (server_knows_sockets(out))
        server_provenance_add(out, "socket", "measured", "nvidia-smi topo -m: NUMA Affinity, agreeing with SYS cells");
    return ST_OK;
}

static enum st read_smi(const char *text, size_t bytes, const char *name, struct server *out, char *warning,
                        size_t warning_size, struct err *err)
{
    OWNED_BY(smi_text_release) struct smi_text t = {0};
    int chosen = 0;
    PASS(smi_text_init(&t, text, bytes, name, err));
    OWNED_NEW(struct smi_blocks, all, 1, "the list of matrices");
    OWNED_NEW(struct smi_table, table, 1, "the matrix of nvidia-smi");
    PASS(smi_find_blocks(&t, all, err));
    PASS(nvidia_smi_choose(&t, all, &chosen, err));
    PASS(smi_read_table(&t, &all->block[chosen], table, err));
    warn(&t, all, chosen, warning, warning_size);
    nvidia_smi_fill(table, name, out, warning, warning_size);
    return note_origin(&all->block[chosen], fill_link_rates(&t, out), out, err);
}

const struct server_format server_format_nvidia_smi = {
    .name = "nvidia-smi",
    .summary = "text of nvidia-smi topo -m",
    .probe = nvidia_smi_probe,
    .read = read_smi,
};
