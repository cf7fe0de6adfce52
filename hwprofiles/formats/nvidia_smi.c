/* nvidia_smi.c - the output of `nvidia-smi topo -m`, also pasted, logged or indented. smi_text.h explains the steps. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/server_format.h"
#include "hwprofiles/model/server_finish.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/formats/smi_table.h"

/* ---- which GPUs share a PCIe switch or a socket, as far as a matrix proves it ---- */

/* Virtual machines and containers show paths and
 * NUMA nodes that the hardware does not have, and an NVLink cell hides the PCIe path below it. So a missing cell proves
 * nothing: two GPUs are apart only when a cell says so, and without any PIX or PXB cell, or with equal NUMA cells
 * everywhere, nothing is concluded. */

/* The cell between two columns, from either row; SMI_NONE when neither row has it. */
static int path_between(const struct smi_table *t, int a, int b)
{
    if (t->row[a].line && t->row[a].cells > b) return t->row[a].cell[b].path;
    if (t->row[b].line && t->row[b].cells > a) return t->row[b].cell[a].path;
    return SMI_NONE;
}

static int root_of(const int *parent, int v)
{
    while (parent[v] != v) v = parent[v];
    return v;
}

/* Joins all devices that reach each other through bridges only. Returns whether there are any. */
static bool join_below_bridges(const struct smi_table *t, int *parent)
{
    bool any = false;
    for (int a = 0; a < t->header.devices; a++) parent[a] = a;
    for (int a = 0; a < t->header.devices; a++)
        for (int b = 0; b < a; b++) {
            int path = path_between(t, a, b);
            if (path != SMI_PIX && path != SMI_PXB) continue;
            if (!t->header.device[a].gpu && !t->header.device[b].gpu) continue; /* two cards say nothing about GPUs */
            parent[root_of(parent, a)] = root_of(parent, b);
            any = true;
        }
    return any;
}

/* True when a cell shows that the groups of a and b are apart. */
static bool apart(const struct smi_table *t, const int *parent, int a, int b)
{
    int ra = root_of(parent, a), rb = root_of(parent, b);
    for (int x = 0; x < t->header.devices; x++) {
        if (root_of(parent, x) != ra) continue;
        for (int y = 0; y < t->header.devices; y++) {
            int path;
            if (root_of(parent, y) != rb || x == y) continue;
            path = path_between(t, x, y);
            if (path == SMI_PHB || path == SMI_NODE || path == SMI_SYS) return true;
        }
    }
    return false;
}

static void find_switches(const struct smi_table *t, struct server *s)
{
    int parent[SMI_DEVICES_MAX], number = 0;
    if (!join_below_bridges(t, parent)) return;
    for (int i = 0; i < s->gpus; i++) /* cells contradict each other: conclude nothing */
        if (apart(t, parent, t->gpu_column[i], t->gpu_column[i])) return;
    for (int i = 0; i < s->gpus; i++) {
        int a = t->gpu_column[i];
        bool certain = true;
        for (int j = 0; j < s->gpus && certain; j++) {
            int b = t->gpu_column[j];
            bool together = root_of(parent, a) == root_of(parent, b);
            if (together && j < i) s->gpu[i].pcie_switch = s->gpu[j].pcie_switch;
            certain = together || apart(t, parent, a, b);
        }
        if (!certain) s->gpu[i].pcie_switch = -1;
        else if (s->gpu[i].pcie_switch < 0) s->gpu[i].pcie_switch = number++;
    }
}

enum { NODES_MAX = 64 };

/* NUMA nodes that a cell lists, "1" or "0,3-9,11-17", as bits; 0: it is no such list, or one with a node beyond 63. */
static uint64_t nodes_of(const char *t, size_t n)
{
    const char *end = t + n;
    uint64_t nodes = 0;
    while (t < end && isdigit((unsigned char)*t)) {
        char *behind;
        unsigned long from = strtoul(t, &behind, 10), to = from;
        if (*behind == '-' && isdigit((unsigned char)behind[1])) to = strtoul(behind + 1, &behind, 10);
        if (to < from || to >= NODES_MAX || behind > end) return 0;
        for (; from <= to; from++) nodes |= UINT64_C(1) << from;
        if (behind == end) return nodes;
        if (*behind != ',') return 0;
        t = behind + 1;
    }
    return 0;
}

static bool cpu_list(const char *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)t[i]) && t[i] != '-' && t[i] != ',') return false;
    return n > 0 && isdigit((unsigned char)t[0]);
}

/* Length of the word at t; "N/A" may be glued to the number before it, as in "0N/A". */
static size_t word_length(const char *t)
{
    size_t n = strcspn(t, " \t");
    const char *glued = strstr(t, "N/A");
    return glued && glued > t && glued < t + n ? (size_t)(glued - t) : n;
}

/* NUMA cell of a row with tabs between its columns: its length, 0 when they are not those. */
static size_t numa_by_tabs(const char *t, const char **cell)
{
    const char *cpu;
    t += strspn(t, " ");
    if (*t != '\t') return 0;
    cpu = ++t;
    t += strcspn(t, "\t");
    if (*t != '\t' || (t > cpu && !cpu_list(cpu, (size_t)(t - cpu)))) return 0;
    *cell = t + 1 + strspn(t + 1, " ");
    return word_length(*cell);
}

/* NUMA cell of a row with blanks between its columns; 0 unless all cells are there, because an empty one cannot be
 * seen. */
static size_t numa_by_words(const char *t, int columns, const char **cell)
{
    const char *word[4];
    size_t length[4];
    int n = 0;
    while (*(t = smi_skip_blanks(t)) && n < 4) {
        word[n] = t;
        length[n] = word_length(t);
        t += length[n++];
    }
    if (n < columns || !cpu_list(word[0], length[0])) return 0;
    if (n > columns && (isdigit((unsigned char)*word[columns]) || text_starts(word[columns], "N/A")))
        return 0; /* more than a remark follows */
    *cell = word[1];
    return length[1];
}

/* NUMA nodes of a row, 0 when they are not stated. *odd: digits are there that are not understood. */
static uint64_t nodes_of_row(const struct smi_table *t, const struct smi_row *row, bool *odd)
{
    int columns = t->header.affinity[0] + t->header.affinity[1] + t->header.affinity[2];
    const char *cell = row->rest, *rest = smi_skip_blanks(row->rest);
    size_t n = 0;
    if (row->cells == t->header.devices) n = numa_by_tabs(row->rest, &cell);
    if (row->cells == t->header.devices && !nodes_of(cell, n)) n = numa_by_words(row->rest, columns, &cell);
    uint64_t nodes = n ? nodes_of(cell, n) : 0;
    /* one list alone may be that of the CPUs, with nothing behind it */
    bool alone = !strpbrk(rest + word_length(rest), "0123456789");
    *odd = !nodes && !(n && text_starts(cell, "N/A")) && !alone;
    return nodes;
}

/* Why sockets stay unknown although NUMA nodes are stated; NULL: they are known, or not stated. */
static const char *find_sockets(const struct smi_table *t, struct server *s, char *count)
{
    uint64_t node[SERVER_GPUS_MAX], low = 0, seen = 0;
    int groups = 0, stated = 0;
    if (!t->header.affinity[0] || !t->header.affinity[1]) return NULL;
    for (int i = 0; i < s->gpus; i++) {
        bool odd, again = false;
        node[i] = nodes_of_row(t, &t->row[t->gpu_column[i]], &odd);
        if (odd) return "a cell of NUMA Affinity is not understood";
        for (int j = 0; j < i; j++) again |= node[j] == node[i];
        stated += node[i] > 0;
        if (again || !node[i]) continue;
        if (seen & node[i]) return "lists of NUMA nodes overlap";
        seen |= node[i];
        groups++;
        if (!low || (node[i] & -node[i]) < (low & -low)) low = node[i];
    }
    if (stated && stated < s->gpus) return "not every GPU has a NUMA node";
    if (groups < 2) return NULL; /* a single one may mean that there is no NUMA information */
    if (groups > 2) {
        snprintf(count, 80, "the GPUs are on %d NUMA nodes, which may be parts of sockets", groups);
        return count;
    }
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) {
            int path = path_between(t, t->gpu_column[i], t->gpu_column[j]);
            if (path != SMI_NVLINK && (path == SMI_SYS) != (node[i] != node[j]))
                return "NUMA Affinity and SYS cells contradict each other";
        }
    for (int i = 0; i < s->gpus; i++) s->gpu[i].socket = node[i] != low;
    return NULL;
}

/* Sets pcie_switch and socket of s's GPUs where the table gives evidence, -1 elsewhere. The table has the GPUs of s.
 * Sockets: exactly two groups of NUMA nodes ("0" and "1", or lists), and SYS cells agree with them; more nodes may be
 * parts of sockets. name: of the file. warning[size]: appended to where nodes are stated and sockets stay unknown. */
static void smi_find_locality(const struct smi_table *t, struct server *s, const char *name, char *warning, size_t size)
{
    char count[80];
    for (int i = 0; i < s->gpus; i++) s->gpu[i].pcie_switch = s->gpu[i].socket = -1;
    find_switches(t, s);
    const char *why = find_sockets(t, s, count);
    if (why)
        text_append(warning, size, "%s%s: %s, so sockets stay unknown; add lstopo.xml as a second FILE",
                    warning[0] ? "; " : "", name, why);
}

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
