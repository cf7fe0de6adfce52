/* smi_locality.c - which GPUs share a switch or a socket, as far as a matrix proves it.
 *
 * Virtual machines and containers show paths and NUMA nodes that the hardware does not have, and an NVLink cell hides
 * the PCIe path below it. So a missing cell proves nothing: two GPUs are apart only when a cell says so, and without
 * any PIX or PXB cell, or with equal NUMA cells everywhere, nothing is concluded.
 */
#include "hwprofiles/formats/smi_locality.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

void smi_find_locality(const struct smi_table *t, struct server *s, const char *name, char *warning, size_t size)
{
    char count[80];
    for (int i = 0; i < s->gpus; i++) s->gpu[i].pcie_switch = s->gpu[i].socket = -1;
    find_switches(t, s);
    const char *why = find_sockets(t, s, count);
    if (why)
        text_append(warning, size, "%s%s: %s, so sockets stay unknown; add lstopo.xml as a second FILE",
                    warning[0] ? "; " : "", name, why);
}
