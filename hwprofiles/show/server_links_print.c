#include "hwprofiles/show/server_links_print.h"

#include <string.h>

#include "base/terminal.h"
#include "hwprofiles/show/server_text.h"

/* True when i and j have the same links to everyone else: exchanging them changes nothing. */
static bool twins(const struct server *s, int i, int j)
{
    for (int k = 0; k < s->gpus; k++)
        if (k != i && k != j && s->links[i][k] != s->links[j][k]) return false;
    return true;
}

struct groups {
    int count, of[SERVER_GPUS_MAX], size[SERVER_GPUS_MAX];
    int head[SERVER_GPUS_MAX][2];                      /* the first two of each */
    int begin[SERVER_GPUS_MAX], list[SERVER_GPUS_MAX]; /* all GPUs, by groups, and where each group begins */
};

static const int *members(const struct groups *g, int k) { return g->list + g->begin[k]; }

/* Groups of GPUs that are pairwise twins with equal links among themselves; single GPUs where fold is false. */
static void group(const struct server *s, bool fold, struct groups *g)
{
    g->count = 0;
    for (int i = 0; i < s->gpus; i++) {
        int k = 0;
        for (; fold && k < g->count; k++) {
            const int *m = g->head[k];
            bool fits = twins(s, m[0], i) && (g->size[k] == 1 || s->links[m[0]][i] == s->links[m[0]][m[1]]);
            if (fits) break;
        }
        if (!fold) k = g->count;
        if (k == g->count) g->size[g->count++] = 0;
        g->of[i] = k;
        if (g->size[k] < 2) g->head[k][g->size[k]] = i;
        g->size[k]++;
    }
    for (int k = 0, used = 0; k < g->count; k++) {
        g->begin[k] = used;
        for (int i = 0; i < s->gpus; i++)
            if (g->of[i] == k) g->list[used++] = i;
    }
}

static void cell_text(const struct server *s, const struct groups *g, int a, int b, char out[16])
{
    int i = g->head[a][0], j = a == b ? (g->size[a] > 1 ? g->head[a][1] : i) : g->head[b][0];
    if (i == j) snprintf(out, 16, "X");
    else if (s->links[i][j] && s->links_uncounted) snprintf(out, 16, "NV?");
    else if (s->links[i][j]) snprintf(out, 16, "NV%d", s->links[i][j]);
    else snprintf(out, 16, ".");
}

enum { CELL = 7, CELL_LEAST = 4 };

/* Width of the first column: the rows' names. */
static int names_width(const struct server *s, const struct groups *g, int cell)
{
    char text[400];
    int left = cell;
    for (int k = 0; k < g->count; k++) {
        server_ids_text(s, members(g, k), g->size[k], true, text, sizeof text);
        if ((int)strlen(text) + 5 > left) left = (int)strlen(text) + 5;
    }
    return left;
}

/* Rows name all of their GPUs, columns the first one, with + when there are more. Narrow columns name it without GPU.
 */
static void matrix_print(const struct server *s, const struct groups *g, int cell, FILE *to)
{
    int left = names_width(s, g, cell);
    char text[400], value[16];
    fprintf(to, "%*s", left, "");
    for (int k = 0; k < g->count; k++) {
        snprintf(text, sizeof text, "%s%d%s", cell == CELL ? "GPU" : "", s->gpu[g->head[k][0]].id,
                 g->size[k] > 1 ? "+" : "");
        fprintf(to, "%-*s", k + 1 < g->count ? cell : 0, text);
    }
    for (int a = 0; a < g->count; a++) {
        server_ids_text(s, members(g, a), g->size[a], true, text, sizeof text);
        fprintf(to, "\nGPU%-*s", left - 3, text);
        for (int b = 0; b < g->count; b++) {
            cell_text(s, g, a, b, value);
            fprintf(to, "%-*s", b + 1 < g->count ? cell : 0, value);
        }
    }
    fprintf(to, "\n");
}

/* A matrix with one character per pair and a gap after every eight; in blocks of columns that fit the terminal. */
static void dense_print(const struct server *s, FILE *to)
{
    static const char digits[] = ".123456789abcdefghijklmnopqrstuvwxyz";
    enum { NAME = 8, BLOCK = 8 };
    int width = terminal_width(to), step = s->gpus;
    if (width) step = (width - NAME) / (BLOCK + 1) * BLOCK;
    terminal_print(to, "one character per GPU: . none, 1 to 9 links, a = 10, b = 11 and so on, # for more than 35\n");
    for (int from = 0; from < s->gpus; from += step) {
        int end = from + step < s->gpus ? from + step : s->gpus;
        if (step < s->gpus) fprintf(to, "to GPU%d-%d:\n", s->gpu[from].id, s->gpu[end - 1].id);
        for (int i = 0; i < s->gpus; i++) {
            fprintf(to, "GPU%-5d", s->gpu[i].id);
            for (int j = from; j < end; j++) {
                int n = s->links[i][j];
                fprintf(to, "%s%c", j > from && j % BLOCK == 0 ? " " : "",
                        i == j                    ? 'X'
                        : n > 35                  ? '#'
                        : n && s->links_uncounted ? '?'
                                                  : digits[n]);
            }
            fprintf(to, "\n");
        }
    }
}

/* The matrix in the widest form that fits. */
static void links_print(const struct server *s, const struct groups *g, FILE *to)
{
    int width = terminal_width(to), cell = CELL, least = CELL_LEAST;
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) least = s->links[i][j] > 9 ? CELL_LEAST + 1 : least;
    while (width && cell > least && names_width(s, g, cell) + g->count * cell > width) cell--;
    bool fits = !width || names_width(s, g, cell) + g->count * cell <= width;
    if (g->count > SERVER_FOLD_ABOVE || !fits) dense_print(s, to);
    else matrix_print(s, g, cell, to);
}

void server_links_print(const struct server *s, FILE *to)
{
    struct groups g;
    bool any = false;
    double per_link = server_gbps_per_link(s);
    char rate[60] = "";
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) any = any || s->links[i][j];
    if (!s->links_known || !any) {
        terminal_print(to, "\nNVLink: %s\n", s->links_known ? "none" : "unknown (the source does not state it)");
        return;
    }
    group(s, s->gpus > SERVER_FOLD_ABOVE, &g);
    if (per_link > 0) snprintf(rate, sizeof rate, " (%.4g GB/s per link and direction)", per_link);
    terminal_print(to, "\nNVLink%s%s\n", rate,
                   g.count < s->gpus ? ", one row per group of GPUs with the same links; the diagonal shows the links "
                                       "inside a group"
                                     : "");
    links_print(s, &g, to);
    if (s->links_uncounted) terminal_print(to, "?: joined; by how many links the source does not state\n");
}
