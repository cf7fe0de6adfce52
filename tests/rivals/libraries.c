/* libraries.c - what hotset has written by hand beside the library that does the same: seconds of each, the best of
 * five runs (base/LIBRARIES.md). */
#include <expat.h>
#include <jansson.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/doc.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/xml.h"

enum { RUNS = 5, MIB = 1 << 20 };

static char *text;
static size_t bytes;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double best_of(void (*run)(void))
{
    double best = 1e9;
    for (int i = 0; i < RUNS; i++) {
        double begun = now();
        run();
        double took = now() - begun;
        best = took < best ? took : best;
    }
    return best;
}

static void row(const char *what, const char *library, void (*ours)(void), void (*theirs)(void))
{
    double a = best_of(ours), b = best_of(theirs);
    printf("%-28s %6.1f MiB  hotset %7.1f ms  %-8s %7.1f ms  ratio %.2f\n", what, (double)bytes / MIB, 1e3 * a, library,
           1e3 * b, b / a);
}

static void must(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "libraries: %s failed\n", what);
    exit(1);
}

/* ---- SHA-256 ---- */

static void sha_ours(void)
{
    unsigned char digest[32];
    struct sha256 h;
    sha256_begin(&h);
    sha256_add(&h, text, bytes);
    sha256_end(&h, digest);
}

static void sha_theirs(void)
{
    unsigned char digest[32];
    must(EVP_Digest(text, bytes, digest, NULL, EVP_sha256(), NULL), "EVP_Digest");
}

/* ---- XML: ours makes a tree, expat calls back ---- */

static void xml_ours(void)
{
    struct err err = {0};
    struct xml x = {0};
    must(xml_parse(text, bytes, "made.xml", &x, &err) == ST_OK, err.text);
    xml_release(&x);
}

static void element(void *of, const XML_Char *name, const XML_Char **attribute)
{
    (void)name, (void)attribute;
    ++*(long *)of;
}

static void xml_theirs(void)
{
    long count = 0;
    XML_Parser p = XML_ParserCreate(NULL);
    XML_SetUserData(p, &count);
    XML_SetStartElementHandler(p, element);
    must(XML_Parse(p, text, (int)bytes, 1) == XML_STATUS_OK && count, "XML_Parse");
    XML_ParserFree(p);
}

/* ---- JSON ---- */

static void json_ours(void)
{
    struct err err = {0};
    doc *d = NULL;
    must(doc_parse(text, bytes, "made.json", &d, &err) == ST_OK, err.text);
    doc_free(d);
}

static void json_theirs(void)
{
    json_t *d = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    must(d != NULL, "json_loadb");
    json_decref(d);
}

int main(void)
{
    enum { ELEMENTS = 200000, NUMBERS = 1 << 20 };
    size_t room = (size_t)256 * MIB, at = 0;
    struct err err = {0};
    text = mem_array(room, 1, "texts", &err);
    must(text != NULL, err.text);
    bytes = room;
    row("SHA-256 (base/sha256)", "openssl", sha_ours, sha_theirs);
    at = (size_t)sprintf(text, "<topology>");
    for (int i = 0; i < ELEMENTS; i++)
        at += (size_t)sprintf(text + at, "<object type=\"PU\" os_index=\"%d\" cpuset=\"0x%08x\"/>\n", i, i);
    bytes = at + (size_t)sprintf(text + at, "</topology>");
    row("XML (base/xml)", "expat", xml_ours, xml_theirs);
    at = (size_t)sprintf(text, "{\"values\": [0");
    for (int i = 0; i < NUMBERS; i++) at += (size_t)sprintf(text + at, i % 2 ? ", %d" : ", %d.25", i);
    bytes = at + (size_t)sprintf(text + at, "]}");
    row("JSON (base/doc_parse)", "jansson", json_ours, json_theirs);
    mem_free(text);
    return 0;
}
