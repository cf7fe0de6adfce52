/* webgraph_bv.c - WebGraph BV (Boldi and Vigna, "The WebGraph framework I", WWW 2004): name.graph + name.properties.
 * Decoded vertex by vertex with a window of the last lists; .offsets is not needed. Successors of x are the targets
 * of arcs x -> v. */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/units.h"
#include "traces/builder/builder.h"
#include "traces/formats/graph_format.h"
#include "traces/formats/graph_bits.h"
#include "traces/builder/graph_text.h"

enum code { CODE_DEFAULT, CODE_DELTA, CODE_GAMMA, CODE_GOLOMB, CODE_SKEWED, CODE_UNARY, CODE_ZETA, CODE_NIBBLE, CODES };
enum part { PART_DEGREE, PART_BLOCK, PART_RESIDUAL, PART_REFERENCE, PART_BLOCK_COUNT, PARTS };
enum { WINDOW_MOST = 1 << 16, TOLD_EVERY = 1 << 12 };

static const char *const code_names[CODES] = {"",      "DELTA", "GAMMA", "GOLOMB", "SKEWED_GOLOMB",
                                              "UNARY", "ZETA",  "NIBBLE"};
static const char *const part_names[PARTS] = {"OUTDEGREES_", "BLOCKS_", "RESIDUALS_", "REFERENCES_", "BLOCK_COUNT_"};

struct settings {
    uint64_t nodes, arcs, window, interval, k, version;
    enum code codes[PARTS];
    bool is_bv, little;
};

/* A list of successors, ascending. */
struct list {
    uint32_t *ids;
    uint64_t count, room;
};

struct decoder {
    const char *path;
    struct settings s;
    struct bits bits;
    struct list *ring;              /* [window + 1] */
    struct list copied, runs, rest; /* the three sources of a list */
    uint64_t x;                     /* the vertex that is decoded */
};

static enum st grow(struct list *l, uint64_t count, struct err *err)
{
    enum st st = ST_OK;
    uint64_t room = l->room ? l->room : 16;
    if (count <= l->room) return ST_OK;
    while (room < count) room *= 2;
    GROW(l->ids, room, "lists of successors");
    l->room = room;
done:
    return st;
}

/* ---- properties ---- */

static enum st set_flag(struct settings *s, const char *path, char *word, struct err *err)
{
    word = (char *)(uintptr_t)text_skip(word);
    for (size_t end = strlen(word); end && text_separates(word[end - 1]); end--) word[end - 1] = '\0';
    if (!*word || text_starts(word, "OFFSETS_")) return ST_OK;
    for (int part = 0; part < PARTS; part++)
        for (int code = 1; text_starts(word, part_names[part]) && code < CODES; code++)
            if (code != CODE_SKEWED && !strcmp(word + strlen(part_names[part]), code_names[code])) {
                s->codes[part] = (enum code)code;
                return ST_OK;
            }
    return err_set(err, ST_INPUT,
                   "%s: compression flag '%.60s' is not known; expected a part such as RESIDUALS_ and a code such as "
                   "ZETA",
                   path, word);
}

static enum st set_flags(struct settings *s, const char *path, char *value, struct err *err)
{
    char *words[32];
    int count = text_split(value, '|', words, 32);
    if (count < 0) return err_set(err, ST_INPUT, "%s: has too many compression flags", path);
    for (int i = 0; i < count; i++) PASS(set_flag(s, path, words[i], err));
    return ST_OK;
}

static enum st set_property(void *self, const char *path, uint64_t number, char *line, struct err *err)
{
    struct settings *s = self;
    const struct {
        const char *key;
        uint64_t *value;
    } numbers[] = {{"nodes", &s->nodes},       {"arcs", &s->arcs},
                   {"windowsize", &s->window}, {"minintervallength", &s->interval},
                   {"zetak", &s->k},           {"version", &s->version}};
    char *equals = strchr(line, '=');
    if (*line == '#' || !equals) return ST_OK;
    *equals = '\0';
    char *value = equals + 1;
    if (!strcmp(line, "compressionflags")) return set_flags(s, path, value, err);
    if (!strcmp(line, "graphclass")) s->is_bv = strstr(value, "BVGraph") != NULL;
    if (!strcmp(line, "endianness")) s->little = text_equal_nocase(value, "little");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const char *p = value;
        if (strcmp(line, numbers[i].key)) continue;
        enum text_kind kind = text_take(&p, numbers[i].value);
        if (kind != TEXT_NUMBER) return text_error(kind, path, number, value, "an integer after '='", err);
    }
    return ST_OK;
}

static enum st check_settings(const struct settings *s, const char *path, struct err *err)
{
    if (!s->is_bv)
        return err_set(err, ST_INPUT, "%s: the graphclass is not BVGraph, the only WebGraph format that is read", path);
    if (s->little)
        return err_set(err, ST_INPUT,
                       "%s: the bit stream is little-endian; convert it to big-endian with webgraph's tools", path);
    if (s->version > 0)
        return err_set(err, ST_INPUT, "%s: version %" PRIu64 " of the format is not known; expected 0", path,
                       s->version);
    if (s->nodes == UINT64_MAX || s->arcs == UINT64_MAX)
        return err_set(err, ST_INPUT, "%s: lacks 'nodes' or 'arcs'", path);
    if (s->window > WINDOW_MOST || s->k < 1 || s->k > 32 || s->interval > UINT32_MAX)
        return err_set(err, ST_INPUT,
                       "%s: windowsize, zetak or minintervallength is out of range (0..65536, 1..32, 0..2^32)", path);
    return ST_OK;
}

static enum st read_properties(const char *path, struct settings *out, struct err *err)
{
    struct settings s = {.nodes = UINT64_MAX,
                         .arcs = UINT64_MAX,
                         .window = 7,
                         .interval = 4,
                         .k = 3,
                         .codes = {CODE_GAMMA, CODE_GAMMA, CODE_ZETA, CODE_UNARY, CODE_GAMMA}};
    PASS(text_each_line(path, set_property, &s, err));
    PASS(check_settings(&s, path, err));
    *out = s;
    return ST_OK;
}

/* ---- lists ---- */

static uint64_t webgraph_bv_take(struct decoder *d, enum part part)
{
    switch (d->s.codes[part]) {
    case CODE_DELTA: return bits_delta(&d->bits);
    case CODE_GAMMA: return bits_gamma(&d->bits);
    case CODE_GOLOMB: return bits_golomb(&d->bits, d->s.k);
    case CODE_UNARY: return bits_unary(&d->bits);
    case CODE_ZETA: return bits_zeta(&d->bits, d->s.k);
    case CODE_NIBBLE: return bits_nibble(&d->bits);
    default: d->bits.bad = true; return 0;
    }
}

static enum st damaged(const struct decoder *d, const char *what, struct err *err)
{
    if (d->bits.bad)
        return err_set(err, ST_INPUT,
                       "%s: ends or is damaged inside the list of vertex %" PRIu64 " of %" PRIu64 " (near byte %" PRIu64
                       "); the file is truncated or does not belong to its .properties",
                       d->path, d->x, d->s.nodes, d->bits.at / 8);
    return err_set(err, ST_INPUT, "%s: the list of vertex %" PRIu64 " (near byte %" PRIu64 ") is damaged: %s", d->path,
                   d->x, d->bits.at / 8, what);
}

/* Zigzag code: even values are non-negative numbers, odd ones negative. */
static int64_t signed_of(uint64_t v) { return v & 1 ? -(int64_t)(v / 2) - 1 : (int64_t)(v / 2); }

/* Appends first .. first + length. */
static enum st append(struct decoder *d, struct list *l, int64_t first, uint64_t length, struct err *err)
{
    if (first < 0 || (uint64_t)first >= d->s.nodes || length > d->s.nodes - (uint64_t)first)
        return damaged(d, "a successor is not a vertex of the graph", err);
    enum st st = grow(l, l->count + length, err);
    for (uint64_t i = 0; st == ST_OK && i < length; i++) l->ids[l->count++] = (uint32_t)((uint64_t)first + i);
    return st;
}

/* The part of list x - r that is copied: runs, alternately taken and skipped. */
static enum st read_copied(struct decoder *d, uint64_t degree, struct err *err)
{
    uint64_t r = d->s.window ? webgraph_bv_take(d, PART_REFERENCE) : 0, at = 0;
    if (d->bits.bad || r > d->s.window || r > d->x) PASS(damaged(d, "it refers to a list outside the window", err));
    if (r == 0) return ST_OK;
    const struct list *from = &d->ring[(d->x - r) % (d->s.window + 1)];
    uint64_t blocks = webgraph_bv_take(d, PART_BLOCK_COUNT);
    for (uint64_t i = 0; i <= blocks; i++) {
        uint64_t length = i < blocks ? webgraph_bv_take(d, PART_BLOCK) + (i > 0) : from->count - at;
        bool copies = i % 2 == 0;
        if (d->bits.bad || length > from->count - at || (copies && length > degree - d->copied.count))
            PASS(damaged(d, "its copied blocks do not fit", err));
        if (copies) {
            PASS(grow(&d->copied, d->copied.count + length, err));
            if (length) memcpy(d->copied.ids + d->copied.count, from->ids + at, length * sizeof *from->ids);
            d->copied.count += length;
        }
        at += length;
    }
    return ST_OK;
}

static enum st read_runs(struct decoder *d, uint64_t extra, struct err *err)
{
    int64_t next = 0;
    if (!extra || !d->s.interval) return ST_OK;
    uint64_t count = bits_gamma(&d->bits);
    if (count > extra) PASS(damaged(d, "it has more intervals than successors", err));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = bits_gamma(&d->bits), length = bits_gamma(&d->bits) + d->s.interval;
        if (d->bits.bad || gap > INT64_MAX / 4 || length > extra - d->runs.count)
            PASS(damaged(d, "an interval is too long", err));
        int64_t left = i ? next + 1 + (int64_t)gap : (int64_t)d->x + signed_of(gap);
        PASS(append(d, &d->runs, left, length, err));
        next = left + (int64_t)length;
    }
    return ST_OK;
}

static enum st read_rest(struct decoder *d, uint64_t count, struct err *err)
{
    int64_t last = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = webgraph_bv_take(d, PART_RESIDUAL);
        if (d->bits.bad || gap > INT64_MAX / 4) PASS(damaged(d, "a gap is too large", err));
        last = i ? last + 1 + (int64_t)gap : (int64_t)d->x + signed_of(gap);
        PASS(append(d, &d->rest, last, 1, err));
    }
    return ST_OK;
}

/* Ascending union of the three sources. */
static void merge(const struct decoder *d, struct list *out)
{
    const struct list *from[3] = {&d->copied, &d->runs, &d->rest};
    uint64_t at[3] = {0};
    for (out->count = 0;; out->count++) {
        int best = -1;
        for (int i = 0; i < 3; i++)
            if (at[i] < from[i]->count && (best < 0 || from[i]->ids[at[i]] < from[best]->ids[at[best]])) best = i;
        if (best < 0) return;
        out->ids[out->count] = from[best]->ids[at[best]++];
    }
}

static enum st read_list(struct decoder *d, struct list *out, struct err *err)
{
    uint64_t degree = webgraph_bv_take(d, PART_DEGREE);
    out->count = d->copied.count = d->runs.count = d->rest.count = 0;
    if (d->bits.bad || degree > d->s.nodes) PASS(damaged(d, "it has more successors than there are vertices", err));
    if (degree == 0) return ST_OK;
    PASS(read_copied(d, degree, err));
    PASS(read_runs(d, degree - d->copied.count, err));
    PASS(read_rest(d, degree - d->copied.count - d->runs.count, err));
    PASS(grow(out, degree, err));
    merge(d, out);
    return ST_OK;
}

static enum st decode(struct decoder *d, struct builder *to, struct err *err)
{
    uint64_t arcs = 0;
    for (d->x = 0; d->x < d->s.nodes; d->x++) {
        struct list *l = &d->ring[d->x % (d->s.window + 1)];
        PASS(read_list(d, l, err));
        for (uint64_t i = 0; i < l->count; i++) PASS(builder_arc(to, d->x, d->x, l->ids[i], err));
        arcs += l->count;
        if (d->x % TOLD_EVERY == 0) builder_progress(to, d->bits.at / 8, d->bits.size / 8);
    }
    if (arcs != d->s.arcs)
        return err_set(err, ST_INPUT, "%s: holds %" PRIu64 " arcs, but its .properties says %" PRIu64, d->path, arcs,
                       d->s.arcs);
    return ST_OK;
}

/* ---- files ---- */

/* "name", "name.graph" or "name.properties" -> both paths. */
static bool name_files(const char *path, char graph[PATH_BYTES], char properties[PATH_BYTES])
{
    size_t length = strlen(path);
    if (length > 6 && !strcmp(path + length - 6, ".graph")) length -= 6;
    else if (length > 11 && !strcmp(path + length - 11, ".properties")) length -= 11;
    return snprintf(graph, PATH_BYTES, "%.*s.graph", (int)length, path) < PATH_BYTES &&
           snprintf(properties, PATH_BYTES, "%.*s.properties", (int)length, path) < PATH_BYTES;
}

static int webgraph_bv_probe(const struct format_probe *p)
{
    char graph[PATH_BYTES], properties[PATH_BYTES];
    if (p->directory || !name_files(p->path, graph, properties) || !file_exists(graph) || !file_exists(properties))
        return 0;
    return !strcmp(p->path, graph) || !strcmp(p->path, properties) || !file_exists(p->path) ? 97 : 0;
}

static enum st read_webgraph(const char *path, struct builder *to, struct err *err)
{
    char graph[PATH_BYTES], properties[PATH_BYTES];
    struct decoder d = {.path = graph};
    struct mapping map = {0};
    char text[BYTES_TEXT];
    enum st st = ST_OK;
    if (!name_files(path, graph, properties)) FAIL(ST_INPUT, "%.60s..: the path is too long", path);
    TRY(read_properties(properties, &d.s, err));
    TRY(file_map(graph, &map, err));
    d.bits = (struct bits){.bytes = map.base, .size = 8 * map.bytes};
    if (d.s.nodes > d.bits.size) /* a vertex takes at least one bit */
        FAIL(ST_INPUT, "%s: has %s, too few for the %" PRIu64 " vertices of its .properties", graph,
             units_bytes_exact(text, map.bytes), d.s.nodes);
    builder_source(to, graph, "vertex");
    TRY(builder_vertices(to, d.s.nodes, true, err));
    NEW(d.ring, d.s.window + 1, "a window of lists");
    TRY(decode(&d, to, err));
done:
    for (uint64_t i = 0; d.ring && i <= d.s.window; i++) mem_free(d.ring[i].ids);
    mem_free(d.ring);
    mem_free(d.copied.ids);
    mem_free(d.runs.ids);
    mem_free(d.rest.ids);
    file_unmap(&map);
    return st;
}

const struct graph_format graph_format_webgraph_bv = {
    .name = "webgraph-bv",
    .summary = "WebGraph BV (name.graph + name.properties)",
    .probe = webgraph_bv_probe,
    .read = read_webgraph,
};
