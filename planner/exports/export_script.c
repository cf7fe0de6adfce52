#include "planner/exports/export_script.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_stream.h"
#include "planner/exports/export_clique.h"
#include "traces/sampling/workload.h"

enum { KEY_BYTES = 12 * GRAPH_NAME_BYTES + 16 }; /* three names of a relation, each byte as \x00 */

/* Appends a name as a text of Python. */
static void append_name(const char *name, char *text, size_t size)
{
    text_append(text, size, "'");
    for (; *name; name++)
        if ((unsigned char)*name < 32) text_append(text, size, "\\x%02x", *name);
        else text_append(text, size, *name == '\'' || *name == '\\' ? "\\%c" : "%c", *name);
    text_append(text, size, "'");
}

/* Appends "('author', 'writes', 'paper')". */
static void append_relation(const struct graph *g, int r, char key[KEY_BYTES])
{
    const struct graph_relation *of = &g->relation[r];
    const char *const name[] = {g->type[of->source].name, of->name, g->type[of->target].name};
    for (int i = 0; i < 3; i++) {
        text_append(key, KEY_BYTES, i ? ", " : "(");
        append_name(name[i], key, KEY_BYTES);
    }
    text_append(key, KEY_BYTES, ")");
}

/* ---- values ---- */

/* The object that holds what a constant says of type t, and the key there. */
static doc *holder(doc *values, const char *constant, const struct graph *g, int t, char key[KEY_BYTES])
{
    *key = '\0';
    if (graph_plain(g)) {
        text_append(key, KEY_BYTES, "%s", constant);
        return values;
    }
    append_name(g->type[t].name, key, KEY_BYTES);
    if (!doc_get(values, constant)) doc_put(values, constant, doc_object());
    return doc_get(values, constant);
}

void export_script_of(doc *values, const char *constant, const struct graph *g, int t, doc *value)
{
    char key[KEY_BYTES];
    doc_put(holder(values, constant, g, t, key), key, value);
}

doc *export_script_list(doc *values, const char *constant, const struct graph *g, int t)
{
    char key[KEY_BYTES];
    doc *of = holder(values, constant, g, t, key);
    if (!doc_get(of, key)) doc_put(of, key, doc_array());
    return doc_get(of, key);
}

/* Numbers of types and sizes of their rows. */
static void put_types(const struct graph *g, doc *values)
{
    static const char *const constants[] = {"TYPES", "VERTICES", "DIM", "ELEMENT"};
    for (int i = 0; !graph_plain(g) && i < 4; i++) doc_put(values, constants[i], doc_object());
    for (int t = 0; t < graph_type_count(g); t++) {
        const struct graph_vertices v = graph_vertices(g, t);
        export_script_of(values, "TYPES", g, t, graph_plain(g) ? doc_null() : doc_integer(t));
        export_script_of(values, "VERTICES", g, t, doc_unsigned(v.count));
        export_script_of(values, "DIM", g, t, doc_unsigned(v.dim));
        if (v.row_bytes)
            export_script_of(values, "ELEMENT", g, t, doc_text(precision_name(graph_feature_table(g, t).cached)));
    }
}

/* The fan-outs of each hop, or of several types {('author', 'writes', 'paper'): [10, 5], ..}. */
static void put_fanouts(const struct graph *g, const struct workload *w, doc *values)
{
    doc *all = graph_plain(g) ? values : doc_object();
    if (all != values) doc_put(values, "FANOUT", all);
    for (int r = 0; r < graph_relation_count(g); r++) {
        char key[KEY_BYTES] = "";
        doc *hops = doc_array();
        for (int h = 0; h < w->hops; h++) doc_append(hops, doc_integer(fanout_number(workload_fanout(w, r, h))));
        if (all != values) append_relation(g, r, key);
        doc_put(all, all == values ? "FANOUT" : key, hops);
    }
}

/* What the plan states, as the constants that scripts share. */
static enum st put_stated(const struct export_input *in, doc *values, struct err *err)
{
    static const char *const orders[] = {"shuffle", "bfs", "blocks"};
    const struct workload *w = &in->plan->workload;
    const struct assignment *a = &in->plan->assignment;
    char cliques[1200], id[16];
    doc *list, *peers = doc_object();
    doc_put(values, "PEERS", peers);
    for (int g = 0; g < a->gpus; g++) {
        list = doc_array();
        for (int i = 0; i < in->plan->placement.peers[g]; i++)
            doc_append(list, doc_integer(a->id[in->plan->placement.peer[g][i]]));
        snprintf(id, sizeof id, "%d", a->id[g]);
        doc_put(peers, id, list);
    }
    export_cliques_text(a, cliques, sizeof cliques);
    PASS(doc_parse(cliques, strlen(cliques), "cliques", &list, err));
    doc_put(values, "CLIQUES", list);
    put_types(in->graph, values);
    put_fanouts(in->graph, w, values);
    DOC_PUT(values, IS("BATCH", doc_unsigned(w->batch)), IS("SEED", doc_unsigned(w->seed)),
            IS("ORDER", orders[w->order]));
    if (w->order == ORDER_BLOCKS) doc_put(values, "BLOCKS", doc_unsigned(w->order_blocks));
    return ST_OK;
}

/* ---- scripts ---- */

/* Writes a value as Python reads it. */
static void put_literal(const doc *d, FILE *to)
{
    char text[KEY_BYTES] = "";
    bool yes = doc_bool_value(d, false);
    if (doc_is_object(d)) {
        fputc('{', to);
        for (const char *k = doc_next_key(d, NULL), *first = k; k; k = doc_next_key(d, k)) {
            fprintf(to, "%s%s: ", k == first ? "" : ", ", k);
            put_literal(doc_get(d, k), to);
        }
        fputc('}', to);
    } else if (doc_is_array(d)) {
        fputc('[', to);
        for (uint64_t i = 0; i < doc_size(d); i++) {
            fputs(i ? ", " : "", to);
            put_literal(doc_at(d, i), to);
        }
        fputc(']', to);
    } else if (doc_is_text(d)) {
        append_name(doc_text_value(d, ""), text, sizeof text);
        fputs(text, to);
    } else if (doc_is_integer(d)) fprintf(to, "%lld", (long long)doc_integer_value(d, 0));
    else if (doc_is_number(d)) fprintf(to, "%.12g", doc_real_value(d, 0));
    else fputs(doc_is_null(d) ? "None" : yes ? "True" : "False", to);
}

/* line: "NAME = VALUE  # what it is", or "NAME=VALUE" of a shell, of which the value is replaced. */
static void put_constant(const char *line, const char *end, size_t name_bytes, const doc *values, FILE *to)
{
    char name[32];
    const char *comment = strstr(line, "  # ");
    size_t sign = strspn(line + name_bytes, " =");
    snprintf(name, sizeof name, "%.*s", (int)name_bytes, line);
    if (!doc_get(values, name)) return;
    fwrite(line, 1, name_bytes + sign, to);
    put_literal(doc_get(values, name), to);
    if (!comment || comment > end) comment = end;
    fwrite(comment, 1, (size_t)(end - comment) + 1, to);
}

static void put_lines(const char *text, const doc *values, FILE *to)
{
    bool constants = false;
    for (const char *line = text, *end; *line; line = end + 1) {
        size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        end = line + strcspn(line, "\n");
        if (constants && name) put_constant(line, end, name, values, to);
        else fwrite(line, 1, (size_t)(end - line) + 1, to);
        constants = constants ? end > line : text_starts(line, "FOLDER");
    }
}

enum st export_script_write(const struct export_input *in, struct export_folder *to, const char *name, const char *what,
                            const doc *own, struct err *err)
{
    enum st st;
    char *text = NULL, line[32];
    size_t bytes;
    FILE *stream = NULL;
    OWNED_DOC doc *values = own ? doc_copy(own) : doc_object();
    const struct export_script *s = export_scripts;
    while (s->name && strcmp(s->name, name)) s++;
    BUG_IF(!s->name);
    for (const char *k = doc_next_key(own, NULL); k; k = doc_next_key(own, k)) {
        snprintf(line, sizeof line, "\n%s", k);
        BUG_IF(!strstr(s->text, line));
    }
    TRY(put_stated(in, values, err));
    stream = text_stream(&text, &bytes);
    if (stream) put_lines(s->text, values, stream);
    if (!stream || fclose(stream)) FAIL(ST_LIMIT, "memory is out for the script %s; close other programs", name);
    TRY(export_text(to, name, what, text, err));
done:
    free(text);
    return st;
}
