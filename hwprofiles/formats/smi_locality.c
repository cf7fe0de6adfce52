/* smi_locality.c - which GPUs share a switch or a socket, as far as a matrix proves it.
 *
 * Virtual machines and containers show paths and NUMA nodes that the hardware does not have, and an NVLink cell hides
 * the PCIe path below it. So a missing cell proves nothing: two GPUs are apart only when a cell says so, and without
 * any PIX or PXB cell, or with equal NUMA cells everywhere, nothing is concluded.
 */
#include "hwprofiles/formats/smi_locality.h"

#include <ctype.h>
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

/* A cell of digits only, at most four of them: its value, else -1. */
static int plain_number(const char *t, size_t n)
{
    if (n < 1 || n > 4) return -1;
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)t[i])) return -1;
    return atoi(t);
}

static bool cpu_list(const char *t, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isdigit((unsigned char)t[i]) && t[i] != '-' && t[i] != ',') return false;
    return n > 0 && isdigit((unsigned char)t[0]);
}

/* NUMA cell of a row with tabs between its columns; -1 when it is no number. */
static int numa_by_tabs(const char *t)
{
    const char *cpu, *numa;
    t += strspn(t, " ");
    if (*t != '\t') return -1;
    cpu = ++t;
    t += strcspn(t, "\t");
    if (*t != '\t' || (t > cpu && !cpu_list(cpu, (size_t)(t - cpu)))) return -1;
    numa = t + 1;
    return plain_number(numa, strcspn(numa, "\t"));
}

/* NUMA cell of a row with blanks between its columns; -1 unless all cells are there, because an empty one cannot be
 * seen. */
static int numa_by_words(const char *t, int columns)
{
    const char *word[4];
    size_t length[4];
    int n = 0;
    while (*(t = smi_skip_blanks(t)) && n < 4) {
        word[n] = t;
        length[n] = strcspn(t, " \t");
        t += length[n++];
    }
    if (n < columns || !cpu_list(word[0], length[0])) return -1;
    if (n > columns && (isdigit((unsigned char)*word[columns]) || text_starts(word[columns], "N/A")))
        return -1; /* more than a remark follows */
    return plain_number(word[1], length[1]);
}

static int numa_of(const struct smi_table *t, const struct smi_row *row)
{
    int columns = t->header.affinity[0] + t->header.affinity[1] + t->header.affinity[2], node;
    if (!t->header.affinity[0] || !t->header.affinity[1] || row->cells < t->header.devices) return -1;
    node = numa_by_tabs(row->rest);
    return node >= 0 ? node : numa_by_words(row->rest, columns);
}

/* Sets sockets when there are exactly two NUMA nodes and SYS cells agree with them. More nodes may be parts of sockets;
 * a single one may mean that there is no NUMA information. */
static void find_sockets(const struct smi_table *t, struct server *s)
{
    int node[SERVER_GPUS_MAX], low, high;
    for (int i = 0; i < s->gpus; i++) {
        node[i] = numa_of(t, &t->row[t->gpu_column[i]]);
        if (node[i] < 0) return;
    }
    low = high = node[0];
    for (int i = 1; i < s->gpus; i++) {
        if (node[i] < low) low = node[i];
        if (node[i] > high) high = node[i];
    }
    if (low == high) return;
    for (int i = 0; i < s->gpus; i++) {
        if (node[i] != low && node[i] != high) return;
        for (int j = 0; j < i; j++) {
            int path = path_between(t, t->gpu_column[i], t->gpu_column[j]);
            if (path != SMI_NVLINK && (path == SMI_SYS) != (node[i] != node[j])) return;
        }
    }
    for (int i = 0; i < s->gpus; i++) s->gpu[i].socket = node[i] == high;
}

void smi_find_locality(const struct smi_table *t, struct server *s)
{
    for (int i = 0; i < s->gpus; i++) s->gpu[i].pcie_switch = s->gpu[i].socket = -1;
    find_switches(t, s);
    find_sockets(t, s);
}
