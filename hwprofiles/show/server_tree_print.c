#include "hwprofiles/show/server_tree_print.h"

#include "base/terminal.h"
#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/show/server_places_print.h"
#include "hwprofiles/show/server_text.h"

/* Memory of the GPUs at these positions: " (2 x 16.00 GiB)" where it is the same and known, else "". */
static void memory_text(const struct server *s, const int *position, int count, char *out, size_t size)
{
    char text[UNIT_TEXT];
    uint64_t bytes = s->gpu[position[0]].memory_bytes;
    out[0] = 0;
    for (int i = 1; i < count; i++)
        if (s->gpu[position[i]].memory_bytes != bytes) return;
    if (bytes) snprintf(out, size, "  (%d x %s)", count, units_bytes(text, bytes));
}

/* One line per switch below a socket: the GPUs that share an uplink. */
static void switches_print(const struct server *s, int socket, const char *stem, FILE *to)
{
    bool done[SERVER_GPUS_MAX] = {false};
    for (int i = 0; i < s->gpus; i++) {
        int below[SERVER_GPUS_MAX], count = 0;
        char text[400], line[1000] = "";
        if (done[i] || s->gpu[i].socket != socket) continue;
        for (int j = i; j < s->gpus; j++)
            if (s->gpu[j].socket == socket && s->gpu[j].pcie_switch == s->gpu[i].pcie_switch) {
                done[j] = true;
                below[count++] = j;
            }
        if (s->gpu[i].pcie_switch < 0) text_append(line, sizeof line, "%s+- switch unknown:", stem);
        else text_append(line, sizeof line, "%s+- switch %d:", stem, s->gpu[i].pcie_switch);
        if (s->gpus > SERVER_FOLD_ABOVE && count > 2) {
            server_ids_text(s, below, count, true, text, sizeof text);
            text_append(line, sizeof line, " GPU%s", text);
        } else {
            for (int k = 0; k < count; k++) text_append(line, sizeof line, " GPU%d", s->gpu[below[k]].id);
        }
        memory_text(s, below, count, text, sizeof text);
        text_append(line, sizeof line, "%s", text);
        server_devices_text(s, s->gpu[i].pcie_switch, line, sizeof line);
        terminal_print(to, "%s\n", line);
    }
}

/* True when two sockets hold switches of the same sizes in the same order, below which GPUs have the same memory. */
static bool same_shape(const struct server *s, int a, int b)
{
    int i = 0, j = 0, lead_a = -1, lead_b = -1;
    for (;; i++, j++) {
        while (i < s->gpus && s->gpu[i].socket != a) i++;
        while (j < s->gpus && s->gpu[j].socket != b) j++;
        if (i == s->gpus || j == s->gpus) return i == s->gpus && j == s->gpus;
        if (s->gpu[i].memory_bytes != s->gpu[j].memory_bytes ||
            (s->gpu[i].pcie_switch < 0) != (s->gpu[j].pcie_switch < 0))
            return false;
        if ((lead_a >= 0 && s->gpu[i].pcie_switch == s->gpu[lead_a].pcie_switch) !=
            (lead_b >= 0 && s->gpu[j].pcie_switch == s->gpu[lead_b].pcie_switch))
            return false;
        lead_a = i;
        lead_b = j;
    }
}

/* Writes the sockets after k that look like socket k in one line. Returns how many there are. */
static int fold_sockets(const struct server *s, const int *socket, int k, int count, FILE *to)
{
    int n = 0, below[SERVER_GPUS_MAX], gpus = 0;
    char text[400];
    while (s->gpus > SERVER_FOLD_ABOVE && k + n + 1 < count && socket[k + n + 1] >= 0 &&
           same_shape(s, socket[k], socket[k + n + 1]))
        n++;
    if (n < 2) return 0;
    for (int i = 0; i < s->gpus; i++)
        for (int m = 1; m <= n; m++)
            if (s->gpu[i].socket == socket[k + m]) below[gpus++] = i;
    server_ids_text(s, below, gpus, true, text, sizeof text);
    terminal_print(to, "  +- %d more sockets like socket %d (%d to %d): GPU%s\n", n, socket[k], socket[k + 1],
                   socket[k + n], text);
    return n;
}

/* Lists the sockets in the order of the GPUs; -1 is unknown. Returns how many there are. */
static int list_sockets(const struct server *s, int *socket)
{
    int count = 0;
    for (int i = 0; i < s->gpus; i++) {
        int k = 0;
        while (k < count && socket[k] != s->gpu[i].socket) k++;
        if (k == count) socket[count++] = s->gpu[i].socket;
    }
    return count;
}

void server_tree_print(const struct server *s, FILE *to)
{
    int socket[SERVER_GPUS_MAX], count = list_sockets(s, socket);
    char pcie[80], text[UNIT_TEXT];
    if (!server_knows_switches(s) && !server_knows_sockets(s)) {
        fprintf(to, "\nPCIe tree: unknown\n");
        return;
    }
    server_pcie_text(s, pcie, sizeof pcie);
    terminal_print(to, "\nPCIe tree%s%s%s\n", pcie[0] ? ", " : "", pcie, pcie[0] ? " per switch" : "");
    if (s->host_memory_bytes) fprintf(to, "  host, %s\n", units_bytes(text, s->host_memory_bytes));
    else fprintf(to, "  host\n");
    for (int k = 0; k < count; k++) {
        if (socket[k] < 0) fprintf(to, "  +- socket unknown\n");
        else fprintf(to, "  +- socket %d\n", socket[k]);
        switches_print(s, socket[k], k + 1 < count ? "  |  " : "     ", to);
        k += fold_sockets(s, socket, k, count, to);
    }
}
