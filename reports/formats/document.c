/* document.c - members that may be absent; see document.h. */
#include "reports/formats/document.h"

#include <math.h>

double document_number(const doc *of, const char *key) { return doc_real_value(doc_get(of, key), NAN); }

double document_count(const doc *of, const char *key)
{
    double v = document_number(of, key);
    return v >= 0 && v < 1e300 ? v : NAN;
}

const char *document_text(const doc *of, const char *key) { return doc_text_value(doc_get(of, key), ""); }
