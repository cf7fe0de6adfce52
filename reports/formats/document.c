/* document.c - members that may be absent; see document.h. */
#include "reports/formats/document.h"

#include <math.h>

#include "base/text.h"

double document_number(const doc *of, const char *key) { return doc_number(of, key); }

double document_count(const doc *of, const char *key)
{
    double v = document_number(of, key);
    return v >= 0 && v < 1e300 ? v : NAN;
}

const char *document_text(const doc *of, const char *key) { return doc_text_value(doc_get(of, key), ""); }

/* Documents of hotset that have no page. */
static const struct {
    const char *schema, *what, *instead;
} others[] = {{"graph/", "a graph", "hotset graph info G"},
              {"trace/", "a trace", "hotset plan --trace T"},
              {"server/", "a server", "hotset server show S.json"},
              {"export/", "the list of files of an export", "hotset report P, with the plan that was exported"},
              {"claims/", "a list of claims, whose page lies beside it", "hotset reproduce -o DIR"}};

enum st document_refuse(const char *schema, const char *path, struct err *err)
{
    static const char drawn[] = "expected results/1 (hotset compare, hotset simulate -o), plan/1 (a plan folder), "
                                "size/1 (hotset size -o) or the document of another answer ('hotset report -h' names "
                                "them)";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (text_starts(schema, others[i].schema))
            return err_set(err, ST_INPUT, "%s: is %s (%.20s), %s; type '%s'", path, others[i].what, schema, drawn,
                           others[i].instead);
    if (!*schema)
        return err_set(err, ST_INPUT, "%s: has no \"schema\", so it is no document of hotset; %s", path, drawn);
    return err_set(err, ST_INPUT, "%s: schema is \"%.60s\"; %s", path, schema, drawn);
}
