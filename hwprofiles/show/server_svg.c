/* server_svg.c - boxes are placed from left to right and wrap, so one GPU and seventy-two fit the same page width. */
#include "hwprofiles/show/server_svg.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "hwprofiles/model/server_provenance.h"
#include "hwprofiles/show/server_text.h"

enum { PAGE = 960, MARGIN = 24, CHIP_W = 66, CHIP_H = 40, DEVICE_H = 30, GAP = 8, HEAD = 20, IN_ROW = 4, MATRIX = 520 };

/* Colours that can be told apart in print and by most people; more cliques repeat them. Text on them is dark. */
static const char *const tints[] = {"#a6cee3", "#fdd08c", "#b2df8a", "#d7b5e8",
                                    "#f9b3b0", "#e8dba8", "#a8e0d4", "#cfcfcf"};
enum { TINTS = sizeof tints / sizeof *tints };

/* ---- elements ---- */

/* Writes an element; without a file the drawing is only laid out. */
PRINTF_LIKE(2, 3) static void emit(FILE *to, const char *format, ...)
{
    va_list list;
    if (!to) return;
    va_start(list, format);
    vfprintf(to, format, list);
    va_end(list);
}

static void escaped(FILE *to, const char *text)
{
    for (; *text; text++) {
        if (*text == '<') emit(to, "&lt;");
        else if (*text == '>') emit(to, "&gt;");
        else if (*text == '&') emit(to, "&amp;");
        else emit(to, "%c", *text);
    }
}

/* Cuts a text to `most` bytes, at the end of a character. */
static void shorten(char *text, size_t most)
{
    if (strlen(text) <= most) return;
    while (most && ((unsigned char)text[most] & 0xc0) == 0x80) most--;
    snprintf(text + most, 4, "%s", most ? ".." : "");
}

/* anchor: start, middle or end. */
PRINTF_LIKE(6, 7) static void label(FILE *to, double x, double y, int size, const char *anchor, const char *format, ...)
{
    char text[1200];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    emit(to, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\">", x, y, size, anchor);
    escaped(to, text);
    emit(to, "</text>\n");
}

static void box(FILE *to, int x, int y, int w, int h, const char *fill, bool certain)
{
    emit(to, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\" stroke=\"#555\"%s/>\n", x, y, w,
         h, fill, certain ? "" : " stroke-dasharray=\"4 3\"");
}

static bool cliques_known(const struct server *s) { return s->links_known || s->gpus == 1; }

/* ---- the tree ---- */

struct group {
    int place, count;
    uint8_t member[SERVER_GPUS_MAX];
};

/* Groups positions of `from` by socket or switch, in the order of positions. Returns how many groups there are. */
static int group_by(const struct server *s, bool sockets, const struct group *from, struct group *out)
{
    int n = 0;
    for (int i = 0; i < from->count; i++) {
        const struct server_gpu *g = &s->gpu[from->member[i]];
        int place = sockets ? g->socket : g->pcie_switch, k = 0;
        while (k < n && out[k].place != place) k++;
        if (k == n) out[n++] = (struct group){.place = place};
        out[k].member[out[k].count++] = from->member[i];
    }
    return n;
}

/* A NIC or a drive: what is written on its chip. */
struct device {
    const char *name, *kind;
    double gbps; /* 0 unknown */
};

/* Lists the devices below that switch; with -1 those that share a switch with no GPU. Returns how many there are. */
static int devices_at(const struct server *s, int pcie_switch, struct device out[SERVER_NICS_MAX + SERVER_NVME_MAX])
{
    const struct server_places *p = &s->places;
    int n = 0;
    for (int i = 0; i < p->nics + p->nvmes; i++) {
        bool nic = i < p->nics;
        int at = nic ? p->nic[i].pcie_switch : p->nvme[i - p->nics].pcie_switch, place = -1;
        for (int g = 0; g < s->gpus && at >= 0; g++)
            if (s->gpu[g].pcie_switch == at) place = at;
        if (place != pcie_switch) continue;
        out[n++] = nic ? (struct device){p->nic[i].name, "NIC", p->nic[i].gbps}
                       : (struct device){p->nvme[i - p->nics].name, "NVMe", 0};
    }
    return n;
}

static int device_rows(const struct server *s, int pcie_switch, int in_row)
{
    struct device room[SERVER_NICS_MAX + SERVER_NVME_MAX];
    return (devices_at(s, pcie_switch, room) + in_row - 1) / in_row;
}

static void draw_devices(const struct server *s, int pcie_switch, int in_row, int x, int y, FILE *to)
{
    struct device room[SERVER_NICS_MAX + SERVER_NVME_MAX];
    int n = devices_at(s, pcie_switch, room);
    for (int k = 0; k < n; k++) {
        int cx = x + k % in_row * (CHIP_W + GAP), cy = y + k / in_row * (DEVICE_H + GAP);
        const char *name = room[k].name[0] ? room[k].name : room[k].kind;
        size_t cut = strlen(name) > 10 ? strlen(name) - 9 : 0;          /* devices differ at the end of their names */
        while (cut && ((unsigned char)name[cut] & 0xc0) == 0x80) cut++; /* at the start of a character */
        box(to, cx, cy, CHIP_W, DEVICE_H, "#ffffff", true);
        label(to, cx + CHIP_W / 2.0, cy + 12, 10, "middle", "%s%s", cut ? ".." : "", name + cut);
        if (room[k].gbps > 0) label(to, cx + CHIP_W / 2.0, cy + 24, 9, "middle", "%.4g GB/s", room[k].gbps);
        else label(to, cx + CHIP_W / 2.0, cy + 24, 9, "middle", "%s", room[k].kind);
    }
}

static int columns_of(const struct group *g) { return g->count < IN_ROW ? g->count : IN_ROW; }
static int switch_width(const struct group *g) { return columns_of(g) * (CHIP_W + GAP) + GAP; }
static int gpus_height(const struct group *g) { return HEAD + (g->count + IN_ROW - 1) / IN_ROW * (CHIP_H + GAP); }
static int switch_height(const struct server *s, const struct group *g)
{
    return gpus_height(g) + (g->place < 0 ? 0 : device_rows(s, g->place, columns_of(g)) * (DEVICE_H + GAP));
}

static void draw_chip(const struct server *s, int i, int x, int y, FILE *to)
{
    char text[UNIT_TEXT];
    const char *fill = cliques_known(s) ? tints[s->clique_of[i] % TINTS] : "#ffffff";
    box(to, x, y, CHIP_W, CHIP_H, fill, true);
    label(to, x + CHIP_W / 2.0, y + 17, 13, "middle", "GPU%d", s->gpu[i].id);
    if (s->gpu[i].memory_bytes)
        label(to, x + CHIP_W / 2.0, y + 32, 10, "middle", "%s", units_bytes(text, s->gpu[i].memory_bytes));
}

static void draw_switch(const struct server *s, const struct group *g, int x, int y, FILE *to)
{
    box(to, x, y, switch_width(g), switch_height(s, g), "#f4f4f4", g->place >= 0);
    if (g->place >= 0) label(to, x + GAP, y + 15, 12, "start", "switch %d", g->place);
    else label(to, x + GAP, y + 15, 12, "start", g->count > 1 ? "switch unknown" : "switch ?");
    for (int k = 0; k < g->count; k++)
        draw_chip(s, g->member[k], x + GAP + k % IN_ROW * (CHIP_W + GAP), y + HEAD + k / IN_ROW * (CHIP_H + GAP), to);
    if (g->place >= 0) draw_devices(s, g->place, columns_of(g), x + GAP, y + gpus_height(g), to);
}

/* Places boxes on a line from `left` to `right`; a full line wraps below its tallest box. */
struct flow {
    int left, right, x, y, tallest, widest;
};

static void flow_place(struct flow *f, int w, int h, int *x, int *y)
{
    if (f->x > f->left && f->x + w > f->right) {
        f->x = f->left;
        f->y += f->tallest + GAP;
        f->tallest = 0;
    }
    *x = f->x;
    *y = f->y;
    f->x += w + GAP;
    if (f->x - f->left > f->widest) f->widest = f->x - f->left;
    if (h > f->tallest) f->tallest = h;
}

static struct flow flow_begin(int left, int right, int y)
{
    return (struct flow){.left = left, .right = right, .x = left, .y = y};
}

/* A socket with its switches: computes its size and, unless `to` is NULL, draws it. */
static void socket_box(const struct server *s, const struct group *socket, struct group *room, int x, int y, FILE *to,
                       int *w, int *h)
{
    int n = group_by(s, false, socket, room), inner = PAGE - 2 * MARGIN - 2 * GAP;
    struct flow f = flow_begin(x + GAP, x + GAP + inner, y + HEAD + 2);
    for (int k = 0; k < n; k++) {
        int sx, sy;
        flow_place(&f, switch_width(&room[k]), switch_height(s, &room[k]), &sx, &sy);
        if (to) draw_switch(s, &room[k], sx, sy, to);
    }
    *w = f.widest + GAP;
    *h = f.y + f.tallest + GAP - y;
    if (*w < 130 && socket->place < 0) *w = 130;
}

/* The devices that share a switch with no GPU, in one box. Returns the y below it. */
static int draw_others(const struct server *s, int y, FILE *to)
{
    const int in_row = (PAGE - 2 * MARGIN - GAP) / (CHIP_W + GAP), rows = device_rows(s, -1, in_row),
              h = HEAD + rows * (DEVICE_H + GAP);
    if (!rows) return y;
    box(to, MARGIN, y + GAP, PAGE - 2 * MARGIN, h, "#ffffff", true);
    label(to, MARGIN + GAP, y + GAP + 15, 12, "start",
          "NICs and drives that share a switch with no GPU, or whose switch is unknown");
    draw_devices(s, -1, in_row, MARGIN + GAP, y + GAP + HEAD, to);
    return y + GAP + h;
}

/* Returns the y below the tree. */
static int draw_tree(const struct server *s, int y, FILE *to)
{
    static const struct group none;
    struct group all = none, sockets[SERVER_GPUS_MAX], room[SERVER_GPUS_MAX];
    struct flow f = flow_begin(MARGIN, PAGE - MARGIN, y);
    int n;
    for (int i = 0; i < s->gpus; i++) all.member[all.count++] = (uint8_t)i;
    n = group_by(s, true, &all, sockets);
    for (int k = 0; k < n; k++) {
        int w, h, x, top;
        socket_box(s, &sockets[k], room, 0, 0, NULL, &w, &h);
        flow_place(&f, w, h, &x, &top);
        box(to, x, top, w, h, "#ffffff", sockets[k].place >= 0);
        if (sockets[k].place >= 0) label(to, x + GAP, top + 16, 13, "start", "socket %d", sockets[k].place);
        else label(to, x + GAP, top + 16, 13, "start", "socket unknown");
        socket_box(s, &sockets[k], room, x, top, to, &w, &h);
    }
    return draw_others(s, f.y + f.tallest, to);
}

/* ---- the matrix ---- */

static int widest_link(const struct server *s)
{
    int most = 0;
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++)
            if (s->links[i][j] > most) most = s->links[i][j];
    return most;
}

/* White for no link to dark blue for the widest of this server. */
static void shade(int links, int most, char out[8])
{
    double t = most ? 0.25 + 0.75 * links / most : 0;
    int from[] = {255, 255, 255}, to[] = {49, 110, 175}, c[3];
    for (int k = 0; k < 3; k++) c[k] = links ? (int)(from[k] + t * (to[k] - from[k]) + 0.5) : 255;
    snprintf(out, 8, "#%02x%02x%02x", c[0] & 255, c[1] & 255, c[2] & 255);
}

static int cell_size(const struct server *s)
{
    int c = MATRIX / s->gpus;
    return c > 44 ? 44 : c;
}

static void draw_cells(const struct server *s, int x, int y, FILE *to)
{
    int c = cell_size(s), most = widest_link(s), every = c >= 24 ? 1 : c >= 14 ? 4 : 8;
    for (int i = 0; i < s->gpus; i++) {
        if (i % every == 0) {
            label(to, x - 6, y + i * c + (every > 1 ? 10 : c / 2.0 + 4), 11, "end", "%d", s->gpu[i].id);
            label(to, x + i * c + (every > 1 ? 4 : c / 2.0), y - 6, 11, every > 1 ? "start" : "middle", "%d",
                  s->gpu[i].id);
        }
        for (int j = 0; j < s->gpus; j++) {
            char fill[8] = "#dddddd";
            if (i != j) shade(s->links[i][j], most, fill);
            emit(to,
                 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#999\" "
                 "stroke-width=\"%s\"/>\n",
                 x + j * c, y + i * c, c, c, fill, c >= 24 ? "1" : "0.3");
            if (c < 24 || i == j || !s->links[i][j] || s->links_uncounted) continue;
            emit(to, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"middle\" fill=\"%s\">%s%d</text>\n",
                 x + (j + 0.5) * c, y + (i + 0.5) * c + 4, c >= 32 ? 11 : 10,
                 2 * s->links[i][j] > most + 1 ? "#ffffff" : "#000000", c >= 36 ? "NV" : "", s->links[i][j]);
        }
    }
}

/* ---- the words beside it ---- */

static int draw_cliques(const struct server *s, int x, int y, FILE *to)
{
    enum { SHOWN = 12 };
    char text[400];
    if (!cliques_known(s)) {
        label(to, x, y, 13, "start", "Cliques: unknown");
        return y + 20;
    }
    server_shape_text(s, text, sizeof text);
    label(to, x, y, 13, "start", "Cliques, Kc x Kg = %s", text);
    for (int k = 0; k < s->cliques && k < SHOWN; k++) {
        y += 20;
        emit(to, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"#555\"/>\n", x, y - 11,
             tints[k % TINTS]);
        server_ids_text(s, s->clique[k], s->clique_size[k], false, text, sizeof text);
        shorten(text, 48);
        label(to, x + 22, y, 12, "start", "%s", text);
    }
    if (s->cliques > SHOWN) label(to, x, y += 20, 12, "start", "and %d more", s->cliques - SHOWN);
    return y + 28;
}

/* The numbers of links that occur, each with its shade and, where it is known, GB/s in one direction. */
static int draw_widths(const struct server *s, int x, int y, FILE *to)
{
    int most = widest_link(s);
    double per = server_gbps_per_link(s);
    if (!s->links_known) {
        label(to, x, y, 13, "start", "NVLink: not stated by the source");
        return y + 24;
    }
    label(to, x, y, 13, "start", most ? "NVLinks between two GPUs" : "NVLink: none");
    for (int w = most; w > 0; w--) {
        char fill[8];
        bool used = false;
        for (int i = 0; i < s->gpus; i++)
            for (int j = 0; j < i; j++) used = used || s->links[i][j] == w;
        if (!used) continue;
        y += 20;
        shade(w, most, fill);
        emit(to, "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"#555\"/>\n", x, y - 11, fill);
        if (per > 0) label(to, x + 22, y, 12, "start", "NV%d, %.4g GB/s each way", w, per * w);
        else if (s->links_uncounted) label(to, x + 22, y, 12, "start", "joined, by how many is not stated");
        else label(to, x + 22, y, 12, "start", "NV%d", w);
    }
    return y + 28;
}

static void draw_origin(const struct server *s, int x, int y, FILE *to)
{
    const doc *list = doc_get(s->document, "provenance");
    int count[SERVER_PROVENANCE_KINDS] = {0};
    for (uint64_t i = 0; i < doc_size(list); i++)
        for (int k = 0; k < SERVER_PROVENANCE_KINDS; k++)
            count[k] += !strcmp(doc_text_value(doc_get(doc_at(list, i), "kind"), ""), server_provenance_kinds[k]);
    label(to, x, y, 12, "start", "Numbers: %d measured, %d vendor, %d assumed;", count[0], count[1], count[2]);
    label(to, x, y + 16, 12, "start", "hotset server show names their sources");
}

/* ---- the page ---- */

static void facts_text(const struct server *s, char *out, size_t size)
{
    char text[400], bytes[UNIT_TEXT];
    out[0] = 0;
    server_models_text(s, text, sizeof text);
    text_append(out, size, "%s", text);
    if (s->sockets) text_append(out, size, ", %d socket%s", s->sockets, s->sockets == 1 ? "" : "s");
    if (s->cores) text_append(out, size, ", %d cores", s->cores);
    if (s->host_memory_bytes) text_append(out, size, ", %s host memory", units_bytes(bytes, s->host_memory_bytes));
    server_pcie_text(s, text, sizeof text);
    if (text[0]) text_append(out, size, ", %s per switch", text);
}

/* The height is known once everything is placed, so the page is laid out twice: first without a file. */
static void draw_body(const struct server *s, FILE *to, int *height)
{
    char text[900];
    int y, words, c = cell_size(s), square = s->links_known && s->gpus > 1 ? c * s->gpus : 0,
                  right = MARGIN + (square ? 30 + square + 24 : 0);
    label(to, MARGIN, 36, 22, "start", "%s", s->name);
    snprintf(text, sizeof text, "%s", s->description);
    shorten(text, 130);
    label(to, MARGIN, 58, 13, "start", "%s", text);
    facts_text(s, text, sizeof text);
    shorten(text, 140);
    label(to, MARGIN, 78, 12, "start", "%s", text);
    y = draw_tree(s, 94, to) + 44;
    if (square) {
        label(to, MARGIN, y - 22, 13, "start", "NVLink matrix");
        draw_cells(s, MARGIN + 30, y, to);
    }
    words = draw_cliques(s, right, y + 8, to);
    words = draw_widths(s, right, words, to);
    draw_origin(s, right, words, to);
    if (words + 16 > y + square) *height = words + 16 + MARGIN;
    else *height = y + square + MARGIN;
}

void server_svg(const struct server *s, FILE *to)
{
    int height = 0;
    draw_body(s, NULL, &height);
    emit(to,
         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
         "font-family=\"sans-serif\">\n",
         PAGE, height, PAGE, height);
    emit(to, SERVER_SVG_MARK "\n<title>");
    escaped(to, s->name);
    emit(to, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", PAGE, height);
    draw_body(s, to, &height);
    emit(to, "</svg>\n");
}
