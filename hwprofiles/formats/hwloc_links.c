/* hwloc_links.c - the matrix NVLinkBandwidth of hwloc's XML: MB/s between GPUs, NVSwitches and CPU packages. */
#include "hwprofiles/formats/hwloc_links.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "hwprofiles/formats/hwloc_objects.h"
#include "hwprofiles/model/link_rates.h"

#define AGAIN "write it again with: lstopo --of xml topo.xml"

enum { OBJECTS_MAX = 512 }; /* 72 GPUs, their switches and packages */

/* Rows: position of a GPU, or one of these. */
enum { ROW_SWITCH = -1, ROW_OTHER = -2 };

struct matrix {
    const struct xml *x;
    int node, line; /* the element */
    int objects;
    int *row;     /* [objects] what each row is; owned */
    double *mbps; /* [objects * objects], row-major; owned */
};

/* ---- words: indexes and values are spread over several elements ---- */

struct words {
    const struct xml *x;
    const char *element, *at;
    int node, run;
};

static struct words words_of(const struct matrix *m, const char *element)
{
    struct words w = {.x = m->x, .element = element, .run = -1};
    w.node = xml_child(m->x, m->node, element);
    if (w.node >= 0) w.run = m->x->node[w.node].child;
    return w;
}

/* The next word, or NULL at the end; *bytes gets its length. */
static const char *next_word(struct words *w, size_t *bytes)
{
    for (;;) {
        if (w->at) {
            w->at += strspn(w->at, " \t\r\n");
            if (*w->at) {
                const char *word = w->at;
                *bytes = strcspn(word, " \t\r\n");
                w->at += *bytes;
                return word;
            }
            w->at = NULL;
        } else if (w->run >= 0) {
            w->at = w->x->node[w->run].text;
            w->run = w->x->node[w->run].next;
        } else if (w->node >= 0) {
            w->node = xml_sibling(w->x, w->node, w->element);
            w->run = w->node >= 0 ? w->x->node[w->node].child : -1;
        } else return NULL;
    }
}

static uint64_t count_words(const struct matrix *m, const char *element)
{
    struct words w = words_of(m, element);
    uint64_t n = 0;
    size_t bytes;
    while (next_word(&w, &bytes)) n++;
    return n;
}

/* ---- rows ---- */

/* Splits "OSDev:332" into type and number. Where all objects have one type, the element states it and the word is the
 * number. */
static enum st split(const struct matrix *m, const char *name, const char *word, size_t bytes, char type[32],
                     char number[32], struct err *err)
{
    const char *colon = memchr(word, ':', bytes), *common = xml_get(m->x, m->node, "type");
    size_t n = colon ? (size_t)(colon - word) : 0;
    if (colon ? n == 0 || n > 31 : !common || strlen(common) > 31) goto wrong;
    if (colon) snprintf(type, 32, "%.*s", (int)n, word);
    else snprintf(type, 32, "%s", common);
    if (colon) word += n + 1, bytes -= n + 1;
    if (bytes < 1 || bytes > 20 || strspn(word, "0123456789") < bytes) goto wrong;
    snprintf(number, 32, "%.*s", (int)bytes, word);
    return ST_OK;
wrong:
    return err_set(err, ST_INPUT,
                   "%s, line %d: the matrix NVLinkBandwidth names an object \"%.*s\", but a type and a number, as in "
                   "OSDev:332, were expected; " AGAIN,
                   name, m->line, (int)(bytes < 40 ? bytes : 40), word);
}

static int object_of(const struct xml *xml, const char *type, const char *number)
{
    for (int n = 0; n < xml->nodes; n++) {
        const char *index;
        if (!hwloc_is(xml, n, type)) continue;
        index = xml_get(xml, n, "gp_index");
        if (index && !strcmp(index, number)) return n;
    }
    return -1;
}

/* What a row is. Every PCI device that is no GPU is an NVSwitch, because those of a DGX-2 have no class and no vendor.
 */
static int row_of(const struct matrix *m, const struct xml_topology *f, int object)
{
    int pci = hwloc_ancestor(m->x, object, "PCIDev");
    for (int i = 0; i < f->gpus && pci >= 0; i++)
        if (f->gpu[i].node == pci) return i;
    if (pci >= 0 && pci == object) return ROW_SWITCH;
    for (int i = 0; i < f->gpus; i++)
        if (f->gpu[i].node == object) return i; /* a GPU without a PCI device */
    return ROW_OTHER;
}

static enum st read_rows(struct matrix *m, const struct xml_topology *f, struct err *err)
{
    struct words w = words_of(m, "indexes");
    for (int k = 0; k < m->objects; k++) {
        char type[32], number[32];
        size_t bytes;
        const char *word = next_word(&w, &bytes);
        int object;
        PASS(split(m, f->name, word, bytes, type, number, err));
        object = object_of(m->x, type, number);
        if (object < 0)
            return err_set(err, ST_INPUT,
                           "%s, line %d: the matrix NVLinkBandwidth names %s:%s, but no such object (gp_index) is in "
                           "the file; " AGAIN,
                           f->name, m->line, type, number);
        m->row[k] = row_of(m, f, object);
        for (int l = 0; l < k && m->row[k] >= 0; l++)
            if (m->row[l] == m->row[k])
                return err_set(err, ST_INPUT,
                               "%s, line %d: rows %d and %d of the matrix NVLinkBandwidth are the same GPU; " AGAIN,
                               f->name, m->line, l + 1, k + 1);
    }
    return ST_OK;
}

static enum st read_values(struct matrix *m, const struct xml_topology *f, struct err *err)
{
    struct words w = words_of(m, "u64values");
    for (int k = 0; k < m->objects * m->objects; k++) {
        size_t bytes;
        const char *word = next_word(&w, &bytes);
        if (bytes > 12 || strspn(word, "0123456789") < bytes)
            return err_set(err, ST_INPUT,
                           "%s, line %d: value %d of the matrix NVLinkBandwidth is \"%.*s\", but MB/s were "
                           "expected; " AGAIN,
                           f->name, m->line, k + 1, (int)(bytes < 40 ? bytes : 40), word);
        m->mbps[k] = strtod(word, NULL);
    }
    return ST_OK;
}

static enum st read_matrix(struct matrix *m, const struct xml_topology *f, struct err *err)
{
    const char *text = xml_get(m->x, m->node, "nbobjs"), *indexing = xml_get(m->x, m->node, "indexing");
    long stated = text ? strtol(text, NULL, 10) : -1;
    uint64_t rows = count_words(m, "indexes"), values = count_words(m, "u64values");
    m->line = m->x->node[m->node].line;
    if (indexing && strcmp(indexing, "gp"))
        return err_set(err, ST_INPUT,
                       "%s, line %d: the matrix NVLinkBandwidth is indexed by \"%.20s\", but gp was expected; " AGAIN,
                       f->name, m->line, indexing);
    if (stated < 1 || stated > OBJECTS_MAX)
        return err_set(err, ST_INPUT,
                       "%s, line %d: the matrix NVLinkBandwidth has \"%.20s\" objects, but 1 to %d were "
                       "expected; " AGAIN,
                       f->name, m->line, text ? text : "", OBJECTS_MAX);
    m->objects = (int)stated;
    if (rows != (uint64_t)stated || values != rows * rows)
        return err_set(err, ST_INPUT,
                       "%s, line %d: the matrix NVLinkBandwidth of %d objects has %llu indexes and %llu values, but %d "
                       "and %d were expected; the file is truncated or damaged, so " AGAIN,
                       f->name, m->line, m->objects, (unsigned long long)rows, (unsigned long long)values, m->objects,
                       m->objects * m->objects);
    MAKE(m->row, rows, "the rows of a matrix");
    MAKE(m->mbps, values, "the values of a matrix");
    PASS(read_rows(m, f, err));
    return read_values(m, f, err);
}

/* ---- links ---- */

/* MB/s that hwloc counts for one link and direction: those of NVLink 1.0 or of 2.0 to 4.0, told apart by divisibility.
 * A link of 5.0 counts as two, at the right bandwidth. */
static double one_link(const struct matrix *m)
{
    enum { NVML_1_0 = 1, NVML_2_0 = 2 };
    const double first = 1000 * link_nvlink_gbps(NVML_1_0), later = 1000 * link_nvlink_gbps(NVML_2_0);
    bool is_first = true, is_later = true;
    for (int r = 0; r < m->objects; r++)
        for (int c = 0; c < m->objects; c++) {
            double v = m->mbps[r * m->objects + c];
            if (r == c) continue;
            is_first = is_first && fmod(v, first) == 0;
            is_later = is_later && fmod(v, later) == 0;
        }
    return is_first && !is_later ? first : later;
}

static enum st links_of(const struct matrix *m, const struct xml_topology *f, double mbps, double unit, int *out,
                        struct err *err)
{
    double n = floor(mbps / unit + 0.5);
    if (n > SERVER_LINKS_MAX)
        return err_set(err, ST_INPUT,
                       "%s, line %d: the matrix NVLinkBandwidth holds %.0f MB/s, which is more than %d links; " AGAIN,
                       f->name, m->line, mbps, SERVER_LINKS_MAX);
    *out = mbps > 0 && n < 1 ? 1 : (int)n;
    return ST_OK;
}

static enum st hwloc_links_take(const struct matrix *m, struct xml_topology *f, struct err *err)
{
    double unit = one_link(m);
    for (int r = 0; r < m->objects; r++)
        for (int c = 0; c < m->objects; c++) {
            int a = m->row[r], b = m->row[c], links = 0;
            double v = m->mbps[r * m->objects + c], back = m->mbps[c * m->objects + r];
            if (r == c || a < 0) continue; /* the diagonal has no meaning */
            if (b == ROW_SWITCH) {
                if (back > v) v = back;
                PASS(links_of(m, f, v, unit, &links, err));
                f->gpu[a].fabric += links;
                f->gpu[a].fabric_gbps += v / 1000;
            } else if (b >= 0) {
                PASS(links_of(m, f, v, unit, &f->links[a][b], err));
                f->gbps[a][b] = v / 1000;
            }
        }
    return ST_OK;
}

/* Warns of GPUs that the matrix leaves out. hwloc lists every GPU whose links it found, so they have none. */
static void say_missing(const struct matrix *m, const struct xml_topology *f, char *warning, size_t size)
{
    int missing = 0;
    for (int i = 0; i < f->gpus; i++) {
        bool there = false;
        for (int k = 0; k < m->objects; k++) there = there || m->row[k] == i;
        missing += !there;
    }
    if (missing)
        text_append(warning, size,
                    "%s%s: %d of %d GPUs are not in the matrix NVLinkBandwidth and are taken to have no NVLink",
                    warning[0] ? "; " : "", f->name, missing, f->gpus);
}

enum st hwloc_read_links(const struct xml *xml, struct xml_topology *f, char *warning, size_t size, struct err *err)
{
    enum st st = ST_OK;
    struct matrix m = {.x = xml, .node = -1};
    for (int c = xml->node[0].child; c >= 0; c = xml->node[c].next) {
        const char *name;
        if (!xml_is(xml, c, "distances2") && !xml_is(xml, c, "distances2hetero")) continue;
        name = xml_get(xml, c, "name");
        if (!name || strcmp(name, "NVLinkBandwidth")) continue;
        if (m.node >= 0)
            FAIL(ST_INPUT, "%s, lines %d and %d: there are two matrices NVLinkBandwidth; " AGAIN, f->name,
                 xml->node[m.node].line, xml->node[c].line);
        m.node = c;
    }
    if (m.node < 0) goto done;
    TRY(read_matrix(&m, f, err));
    TRY(hwloc_links_take(&m, f, err));
    for (int i = 0; i < f->gpus; i++) f->gpu[i].lists_links = true;
    f->links_known = true;
    say_missing(&m, f, warning, size);
done:
    mem_free(m.row);
    mem_free(m.mbps);
    return st;
}
