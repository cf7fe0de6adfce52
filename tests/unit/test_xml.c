/* The XML reader: the tree it makes, what it refuses and where it says it was, truncation at every byte, the memory
 * it gives back. */
#include "tests/unit/unit.h"
#include "base/mem.h"
#include "base/xml.h"

static struct xml x;
static struct err err;

static enum st parse(const char *text)
{
    xml_release(&x);
    err_clear(&err);
    return xml_parse(text, strlen(text), "t.xml", &x, &err);
}

static void tree(void **state)
{
    (void)state;
    assert_int_equal(parse("\xef\xbb\xbf<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM \"x.dtd\"><!-- <not/> -- this --><a "
                           "one='1' two=\"&lt;2&gt;&amp;&quot;&apos;&#65;&#x42;\" >\n"
                           " <b/> text &amp; more <b>x</b ><![CDATA[<raw>&amp;]]></a>\n<!-- end -->\n"),
                     ST_OK);
    assert_true(xml_is(&x, 0, "a"));
    assert_string_equal(xml_get(&x, 0, "one"), "1");
    assert_string_equal(xml_get(&x, 0, "two"), "<2>&\"'AB");
    assert_null(xml_get(&x, 0, "three"));
    assert_int_equal(x.nodes, 6);
    int b = xml_child(&x, 0, "b"), second = xml_sibling(&x, b, "b");
    assert_int_equal(b, 1);
    assert_int_equal(x.node[b].child, -1);
    assert_string_equal(x.node[2].text, "text & more ");
    assert_null(x.node[2].name);
    assert_int_equal(second, 3);
    assert_string_equal(x.node[x.node[second].child].text, "x");
    assert_string_equal(x.node[5].text, "<raw>&amp;");
    assert_int_equal(x.node[5].parent, 0);
    assert_int_equal(x.node[1].line, 3);
    assert_int_equal(xml_subtree_end(&x, b), 2);
    assert_int_equal(xml_subtree_end(&x, second), 5);
    assert_int_equal(xml_subtree_end(&x, 0), x.nodes);
    assert_int_equal(xml_sibling(&x, second, "b"), -1);
    assert_int_equal(parse("<a>caf\xc3\xa9 &#233;&#8364;&#x1F600;</a>"), ST_OK); /* numbers become UTF-8 */
    assert_string_equal(x.node[1].text, "caf\xc3\xa9 \xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {{"", "no element"},
                 {"   \n", "no element"},
                 {"<!-- only -->", "no element"},
                 {"text", "line 1"},
                 {"<a>", "still open"},
                 {"<a><b></a>", "</b>"},
                 {"<a></b>", "</a>"},
                 {"</a>", "line 1"},
                 {"<a/><b/>", "follows the end"},
                 {"<a/>text", "line 1"},
                 {"<a b>", "= after"},
                 {"<a b=1/>", "quotes"},
                 {"<a b='1/>", "quote it began with"},
                 {"<a b='<'/>", "quote it began with"},
                 {"<a b='1'c='2'/>", "a blank"},
                 {"<a b='1' b='2'/>", "b twice"},
                 {"<a b='&nbsp;'/>", "only entities"},
                 {"<a>&x;</a>", "only entities"},
                 {"<a>& </a>", "only entities"},
                 {"<a>&#0;</a>", "character number"},
                 {"<a>&#xffffffff;</a>", "character number"},
                 {"<a>&#x110000;</a>", "character number"},
                 {"<a>&#;</a>", "character number"},
                 {"<a>&#12</a>", "character number"},
                 {"<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "declares"},
                 {"<!DOCTYPE a", "DOCTYPE"},
                 {"<a><!DOCTYPE a></a>", "line 1"},
                 {"<!-- <a/>", "never closed"},
                 {"<?xml <a/>", "never closed"},
                 {"<a><![CDATA[x</a>", "never closed"},
                 {"<![CDATA[x]]><a/>", "line 1"},
                 {"< a/>", "name of an element"},
                 {"<1/>", "name of an element"},
                 {"<a/ >", "/>"},
                 {"<a \n\n/x>", "line 3"},
                 {"<a></a", ">"},
                 {"<!ENTITY b 'c'><a/>", "name of an element"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum st st = parse(cases[i].text);
        if (st != ST_INPUT || !strstr(err.text, cases[i].says) || !strstr(err.text, "t.xml"))
            fail_msg("%s: code %d, %s", cases[i].text, st, err.text);
        assert_null(x.node);
    }
}

/* `count` copies of `part` between head and tail; to be freed. */
static char *repeated(const char *head, const char *part, int count, const char *tail)
{
    size_t n = strlen(part);
    char *text = malloc(strlen(head) + n * (size_t)count + strlen(tail) + 1), *to = text + sprintf(text, "%s", head);
    for (int i = 0; i < count; i++, to += n) memcpy(to, part, n);
    strcpy(to, tail);
    return text;
}

static void bounds(void **state)
{
    (void)state;
    char name[XML_NAME_BYTES_MAX + 2], many[4000] = "<a", *text;
    text = repeated("", "<a>", XML_DEPTH_MAX + 1, "");
    assert_int_equal(parse(text), ST_INPUT);
    assert_non_null(strstr(err.text, "more than 128 levels deep"));
    free(text);
    text = repeated("<a>", "<b/>", XML_NODES_MAX, "</a>");
    assert_int_equal(parse(text), ST_INPUT);
    assert_non_null(strstr(err.text, "more than 262144 elements"));
    free(text);
    for (int i = 0; i <= XML_ATTRIBUTES_MAX; i++) sprintf(many + strlen(many), " a%d='%d'", i, i);
    strcat(many, "/>");
    assert_int_equal(parse(many), ST_INPUT);
    assert_non_null(strstr(err.text, "more than 64 attributes"));
    memset(name, 'n', sizeof name);
    name[0] = '<';
    name[sizeof name - 1] = 0;
    assert_int_equal(parse(name), ST_INPUT);
    text = repeated("<a>", "&amp;", 100000, "</a>"); /* text of any length */
    assert_int_equal(parse(text), ST_OK);
    assert_int_equal(strlen(x.node[1].text), 100000);
    free(text);
}

static void cut_anywhere(void **state)
{
    (void)state;
    static const char text[] = "<?xml version=\"1.0\"?><!DOCTYPE a SYSTEM 'b'><a b='1' "
                               "c=\"&amp;\"><d/>text<e><![CDATA[f]]></e><!-- g --></a>";
    for (size_t cut = 0; cut + 1 < sizeof text; cut++) {
        char *part = strndup(text, cut); /* exact size, so that a sanitizer sees a read behind it */
        xml_release(&x);
        assert_int_equal(xml_parse(part, cut, "t", &x, &err), ST_INPUT);
        free(part);
    }
}

static void root_names(void **state)
{
    (void)state;
    char name[XML_NAME_BYTES_MAX];
    assert_true(xml_root_name("\xef\xbb\xbf <?xml?> <!-- <x> --> <!DOCTYPE y>\n<system version='1'>", name));
    assert_string_equal(name, "system");
    assert_false(xml_root_name("system", name));
    assert_false(xml_root_name("<!-- <system>", name));
    assert_false(xml_root_name("<", name));
    assert_false(xml_root_name("", name));
}

/* Elements <b> that are gone again, and what is around them. */
static enum st take_b(void *self, const struct xml *tree, int node, bool *forget, struct err *e)
{
    int *sum = self;
    (void)e;
    *forget = xml_is(tree, node, "b");
    if (!*forget) return ST_OK;
    *sum = *sum * 10 + atoi(xml_get(tree, xml_child(tree, node, "c"), "n"));
    return *sum == 999 ? err_set(e, ST_NO, "enough") : ST_OK;
}

static void forgotten(void **state)
{
    int sum = 0;
    (void)state;
    const char *text = "<a k='1'><b><c n='1'/>t</b><d/><b><c n='2'/></b><b><c n='3'/></b><e f='g'>u</e><b><c "
                       "n='4'/></b></a>";
    assert_int_equal(xml_parse_taking(text, strlen(text), "t", take_b, &sum, &x, &err), ST_OK);
    assert_int_equal(sum, 1234);  /* in their order, with their insides */
    assert_int_equal(x.nodes, 4); /* a, d, e, u */
    assert_int_equal(x.attributes, 2);
    assert_string_equal(x.node[x.node[0].child].name, "d");
    assert_string_equal(x.node[xml_child(&x, 0, "e")].name, "e");
    assert_int_equal(x.node[xml_child(&x, 0, "e")].next, -1);
    assert_string_equal(xml_get(&x, xml_child(&x, 0, "e"), "f"), "g");
    assert_int_equal(xml_child(&x, 0, "b"), -1);
    xml_release(&x);
    sum = 99;
    text = "<a><b><c n='9'/></b><b><c n='9'/></b></a>";
    assert_int_equal(xml_parse_taking(text, strlen(text), "t", take_b, &sum, &x, &err), ST_NO);
    char *many = repeated("<a>", "<b><c n='0'/></b>", XML_NODES_MAX, "</a>");
    sum = 0;
    assert_int_equal(xml_parse_taking(many, strlen(many), "t", take_b, &sum, &x, &err), ST_OK);
    xml_release(&x);
    assert_int_equal(xml_parse(many, strlen(many), "t", &x, &err), ST_INPUT); /* too many to keep */
    free(many);
}

static void out_of_memory(void **state)
{
    (void)state;
    char *text = repeated("<a>", "<b c='d'/>", 1000, "</a>");
    xml_release(&x);
    for (uint64_t k = 1;; k++) {
        uint64_t before = mem_in_use();
        mem_fail_at(k);
        enum st st = xml_parse(text, strlen(text), "t", &x, &err);
        mem_fail_at(0);
        if (st == ST_OK) {
            assert_true(k > 3);
            break;
        }
        assert_int_equal(st, ST_LIMIT);
        assert_int_equal(mem_in_use(), before);
    }
    free(text);
}

static int end(void **state)
{
    (void)state;
    xml_release(&x);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tree),         cmocka_unit_test(refusals),
                                       cmocka_unit_test(bounds),       cmocka_unit_test(cut_anywhere),
                                       cmocka_unit_test(root_names),   cmocka_unit_test(forgotten),
                                       cmocka_unit_test(out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, end);
}
