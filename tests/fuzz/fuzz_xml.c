/* The XML reader: whatever the text, a tree whose parts fit together, or a sentence. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"
#include "base/xml.h"

static void demand(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "the tree is broken: %s\n", what);
    abort();
}

static void check(const struct xml *x)
{
    size_t bytes = 0; /* touched, so that a sanitizer sees a text without an end */
    demand(x->nodes >= 1 && x->node[0].name && x->node[0].parent == -1 && x->node[0].next == -1, "root");
    for (int i = 0; i < x->nodes; i++) {
        const struct xml_node *n = &x->node[i];
        demand(!n->name != !n->text, "neither an element nor a text");
        demand(i == 0 || (n->parent >= 0 && n->parent < i), "parent");
        demand(n->child == -1 || (n->child == i + 1 && x->node[n->child].parent == i), "first child");
        demand(n->next == -1 || (n->next > i && x->node[n->next].parent == n->parent), "sibling");
        demand(n->text == NULL || n->child == -1, "a text with children");
        demand(xml_subtree_end(x, i) > i && xml_subtree_end(x, i) <= x->nodes, "behind");
        demand(n->attributes >= 0 && n->attribute + n->attributes <= x->attributes, "attributes");
        bytes += strlen(n->name ? n->name : n->text);
        for (int k = 0; k < n->attributes; k++) {
            const struct xml_attribute *a = &x->attribute[n->attribute + k];
            demand(xml_get(x, i, a->name) == a->value, "an attribute is not found by its name");
            bytes += strlen(a->value);
        }
    }
    demand(bytes < (size_t)1 << 30, "texts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct xml x = {0};
    struct err err = {0};
    char root[XML_NAME_BYTES_MAX], *text = malloc(size + 1);
    uint64_t before = mem_in_use();
    if (size) memcpy(text, data, size);
    text[size] = 0;
    enum st st = memchr(text, 0, size) ? ST_OK : xml_parse(text, size, "fuzz", &x, &err);
    if (x.nodes) {
        check(&x);
        (void)xml_root_name(text, root);
    }
    xml_release(&x);
    fuzz_verdict(st, &err, before);
    free(text);
    return 0;
}
