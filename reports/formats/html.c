/* html.c - HTML and inlined SVG; see html.h. */
#define _GNU_SOURCE /* memmem */
#include "reports/formats/html.h"

#include <stdbool.h>
#include <string.h>
#include "base/file.h"

/* One style for screen and paper; no font, picture or script comes from elsewhere. */
static const char style[] =
    ":root{color-scheme:light;--ink:#16191d;--soft:#5b6570;--line:#dfe3e8;--accent:#0b4f8a}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:#fff;color:var(--ink);font:1rem/1.6 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica "
    "Neue',Arial,sans-serif;overflow-wrap:anywhere}\n"
    "main{max-width:980px;margin:0 auto;padding:48px 24px 72px}\n"
    "h1{font-size:2.1rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0 0 .6em}\n"
    "h2{font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;margin:2.6em 0 "
    ".5em;padding-top:1.1em;border-top:1px solid "
    "var(--line)}\n"
    "h2 small{font-weight:400;font-size:1em;color:var(--soft)}\n"
    "h3{font-size:1.06rem;font-weight:650;margin:2em 0 .4em}\n"
    "p,ul,dl{max-width:46em;margin:.5em 0 1em}\n"
    "ul.lead{padding-left:1.1em}.lead li{margin:.35em 0}\n"
    ".lead{font-size:1.12rem;line-height:1.6}\n"
    ".note,figcaption,caption{color:var(--soft);font-size:.9rem;line-height:1.5}\n"
    "a{color:var(--accent);text-underline-offset:2px}\n"
    "nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.3em 1.4em}\n"
    ".scroll{overflow-x:auto;margin:.6em 0 1.4em}\n"
    "table{border-collapse:collapse;width:100%;font-size:.92rem;line-height:1.4;font-variant-numeric:tabular-nums;"
    "overflow-wrap:normal}\n"
    "caption{text-align:left;padding:0 0 .5em;caption-side:top}\n"
    "th,td{padding:.36em .7em;text-align:right;border-bottom:1px solid var(--line);vertical-align:baseline}\n"
    "th{font-weight:600}thead th{vertical-align:bottom;border-bottom:1.5px solid #9aa4ae}\n"
    "thead th span{display:block;font-weight:400;color:var(--soft);font-size:.84em}\n"
    "th:first-child,td:first-child,.left{text-align:left}tbody th{font-weight:500;white-space:nowrap}\n"
    "td{white-space:nowrap}td.long{white-space:normal;min-width:16em;text-align:left}\n"
    "table.grid{table-layout:fixed;min-width:620px}table.grid "
    "th:first-child{width:21%}td.off{white-space:normal;font-size:.88em}\n"
    ".best{font-weight:700;color:#000;background:#eef4fa}.off{color:#9a4600}td.soft,.soft{color:var(--soft)}\n"
    "tr.family th{color:var(--soft);font-weight:600;font-size:.92em;padding-top:1.1em;text-align:left}\n"
    "@media(min-width:760px){.scroll{overflow-x:visible}thead "
    "th{position:sticky;top:0;background:#fff;z-index:1;box-shadow:0 1.5px #9aa4ae}}\n"
    "@media(max-width:759px){tbody th:first-child{position:sticky;left:0;background:#fff}}\n"
    "i.key{display:inline-block;width:.72em;height:.72em;border-radius:2px;margin-right:.55em;vertical-align:baseline}"
    "\n"
    "figure{margin:2.2em 0 2.6em;break-inside:avoid}\n"
    "figure .scroll{margin:0}figure svg{display:block;width:100%;min-width:640px;height:auto}\n"
    "figure svg g{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    "figcaption{max-width:52em;margin-top:.5em}\n"
    "dt{font-weight:600}dd{margin:0 0 .7em}\n"
    "@media(max-width:600px){main{padding:28px 16px 48px}h1{font-size:1.65rem}}\n"
    "@page{size:A4;margin:16mm 15mm 18mm}\n"
    "@media "
    "print{html{font-size:9pt}body{line-height:1.45}.files{display:none}.lead{font-size:1.1rem}main{max-width:none;"
    "padding:0}a{color:inherit;text-"
    "decoration:none}nav{display:none}\n"
    "h1{font-size:20pt}h2{font-size:14pt;margin-top:1.2em;padding-top:0;border:0;break-after:avoid}section.scene+"
    "section.scene,section.about{break-"
    "before:page}section.scene+section.scene h2,section.about h2{margin-top:0}\n"
    "h3,caption{break-after:avoid}thead{display:table-header-group}thead "
    "th{position:static;box-shadow:none}tr.family{break-after:avoid}tr,figure,dd,li{break-inside:avoid}p{orphans:3;"
    "widows:3}\n"
    ".scroll{overflow:visible}table{font-size:8pt}th,td{padding:.26em .5em}td.long{min-width:0}figure{margin:1.6em "
    "0}figure "
    "svg{min-width:0;max-height:225mm}\n"
    ".best,i.key{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

void html_text(FILE *to, const char *text)
{
    enum { MOST = 2000 };
    size_t n = 0;
    for (; *text && !(n >= MOST && ((unsigned char)*text & 0xC0) != 0x80); text++, n++) {
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default: fputc((unsigned char)*text < 32 || *text == 127 ? ' ' : *text, to);
        }
    }
    if (*text) fputs("\xE2\x80\xA6", to);
}

void html_begin(FILE *to, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<title>",
          to);
    html_text(to, title);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
}

void html_end(FILE *to) { fputs("</main>\n</body>\n</html>\n", to); }

/* The length of a reference to an id that begins at `at` (id=' or href='# or url(#), or 0. */
static size_t reference_at(const char *at, size_t left)
{
    static const char *const forms[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (left >= strlen(forms[i]) && !memcmp(at, forms[i], strlen(forms[i]))) return strlen(forms[i]);
    return 0;
}

/* Behind the element that begins at `at` if it is `name`, else at. */
static const char *skipped(const char *at, const char *end, const char *open, const char *close)
{
    const char *stop;
    if ((size_t)(end - at) < strlen(open) || memcmp(at, open, strlen(open))) return at;
    stop = memmem(at, (size_t)(end - at), close, strlen(close));
    return stop ? stop + strlen(close) : at;
}

static void svg_copy(FILE *to, const char *at, const char *end, int index)
{
    bool inside = false; /* of a tag */
    while (at < end) {
        const char *next = skipped(skipped(at, end, "<title>", "</title>"), end, "<desc>", "</desc>");
        size_t reference = inside ? reference_at(at, (size_t)(end - at)) : 0;
        if (next != at) {
            at = next;
            continue;
        }
        if (*at == '<') inside = true;
        if (*at == '>') inside = false;
        if (reference) {
            fwrite(at, 1, reference, to);
            fprintf(to, "f%d-", index);
            at += reference;
        } else fputc(*at++, to);
    }
}

enum st html_svg(FILE *to, const char *path, int index, const char *label, struct err *err)
{
    enum st st;
    struct mapping m = {0};
    const char *begin, *end;
    TRY(file_map(path, &m, err));
    begin = m.bytes ? memmem(m.base, m.bytes, "<svg", 4) : NULL;
    if (!begin)
        FAIL(ST_INPUT,
             "%s: gnuplot wrote no SVG; version 5.4 or later with the terminal svg is needed (package gnuplot-nox)",
             path);
    end = (const char *)m.base + m.bytes;
    fputs("<svg role=\"img\" aria-label=\"", to);
    html_text(to, label);
    fputc('"', to);
    svg_copy(to, begin + 4, end, index);
done:
    file_unmap(&m);
    return st;
}
