/* html.c - text, tables and the frame of a page; see html.h. */
#include "reports/formats/html.h"

#include <ctype.h>
#include <string.h>

#include "reports/formats/colour.h"
#include "reports/formats/page_script.h"

/* One style for screens, light and dark, and for paper, which is always light; no font, picture or script comes from
 * elsewhere. --paper is what colour_dark makes of white, so that figures stand on the page's own ground. */
static const char style[] =
    ":root{color-scheme:light;--paper:#fff;--ink:#16191d;--soft:#5b6570;--line:#dfe3e8;--rule:#9aa4ae;--accent:#0b4f8a;"
    "--best:#eef4fa;--off:#9a4600}\n"
    "@media screen and "
    "(prefers-color-scheme:dark){:root{color-scheme:dark;--paper:#161616;--ink:#e6e8ea;--soft:#a3abb3;--line:#33383d;--"
    "rule:#6b747c;--accent:#7db8ea;--best:#1d2c3a;--off:#f0a35e}}\n"
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%;background:var(--paper)}\n"
    "body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.6 system-ui,-apple-system,'Segoe "
    "UI',Roboto,'Helvetica Neue',Arial,sans-serif;overflow-wrap:anywhere}\n"
    "main{max-width:980px;margin:0 auto;padding:48px 24px 72px}\n"
    "h1{font-size:2.1rem;line-height:1.2;font-weight:650;letter-spacing:-.015em;margin:0 0 .6em}\n"
    "h2{font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.01em;margin:2.6em 0 "
    ".5em;padding-top:1.1em;border-top:1px solid var(--line)}\n"
    "small.code{overflow-wrap:anywhere}h2 small{font-weight:400;font-size:1em;color:var(--soft)}\n"
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
    "th{font-weight:600}thead th{vertical-align:bottom;border-bottom:1.5px solid var(--rule)}\n"
    ".whole{white-space:nowrap}thead th "
    "span:not(.whole){display:block;font-weight:400;color:var(--soft);font-size:.84em}\n"
    "th:first-child,td:first-child,.left{text-align:left}tbody th{font-weight:500;white-space:nowrap}\n"
    "td{white-space:nowrap}td small{white-space:normal}td.long{white-space:normal;min-width:16em;text-align:left}\n"
    "table.facts{width:auto}table.facts th{padding-right:2.5em}table.facts th small{color:var(--soft);font-size:.9em}\n"
    "table.grid{table-layout:fixed;--most:calc(14em + "
    "var(--columns)*9em);width:min(100%,var(--most));min-width:calc(14em + var(--columns)*5.2em)}table.grid "
    "th:first-child{width:14em;white-space:normal}td.off{white-space:normal;font-size:.88em}\n"
    ".best{font-weight:700;background:var(--best)}.off{color:var(--off)}td.soft,.soft{color:var(--soft)}\n"
    "tr.family th{color:var(--soft);font-weight:600;font-size:.92em;padding-top:1.1em;text-align:left}\n"
    "@media(min-width:1020px){.scroll{overflow-x:visible}thead "
    "th{position:sticky;top:0;background:var(--paper);z-index:1;box-shadow:0 1.5px var(--rule)}}\n"
    "@media(max-width:1019px){caption{max-width:calc(100vw - 32px);position:sticky;left:0}tbody "
    "th:first-child{position:sticky;left:0;background:var(--paper)}}\n"
    "i.key{display:inline-block;width:.72em;height:.72em;border-radius:2px;margin-right:.55em;vertical-align:baseline;"
    "background:var(--light)}\n"
    "@media screen and (prefers-color-scheme:dark){i.key{background:var(--dark)}}\n"
    "figure{margin:2.2em 0 2.6em;break-inside:avoid}\n"
    "figure .scroll{margin:0}figure svg{display:block;width:100%;min-width:640px;height:auto}\n"
    "figure svg g{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\n"
    ".name{position:relative;z-index:1;font-weight:650;max-width:none;margin:0}.name+.scroll{margin-top:-1.2em}\n"
    "figcaption{max-width:52em;margin-top:.5em}\n"
    ".picture{position:relative;min-width:640px}figure svg.over{position:absolute;inset:0;height:100%}\n"
    ".over rect{fill:transparent;outline:0}.over rect:hover,.over rect:focus,.over "
    "rect.at{stroke:var(--ink);stroke-width:1.5}\n"
    ".tip{position:absolute;pointer-events:none;background:var(--ink);color:var(--paper);font-size:.82rem;line-height:"
    "1.3;padding:.2em .5em;border-radius:3px;max-width:20em}.gone{visibility:hidden}\n"
    ".tools{display:flex;flex-wrap:wrap;gap:.2em .5em;align-items:center;margin:.4em "
    "0;max-width:none}button{font:inherit;color:inherit;background:none;border:0;padding:0;cursor:pointer}\n"
    ".tools button{font-size:.82rem;padding:.1em .6em;border:1px solid var(--rule);border-radius:1em}.tools "
    "button[aria-pressed=false]{color:var(--soft);text-decoration:line-through}input{accent-color:var(--accent)}\n"
    "button.sort{text-align:inherit;overflow-wrap:inherit}[aria-sort=ascending] .sort::after{content:' "
    "\\2191'}[aria-sort=descending] .sort::after{content:' \\2193'}th.at,td.at{background:var(--best)}\n"
    ":focus-visible{outline:2px solid var(--accent);outline-offset:2px}\n"
    "dt{font-weight:600}dd{margin:0 0 .7em}\n"
    "@media(max-width:600px){main{padding:28px 16px 48px}h1{font-size:1.65rem}}\n"
    "@page{size:A4;margin:12mm 15mm 13mm}\n"
    "@media "
    "print{html{font-size:8.6pt}body{line-height:1.36}.files,.screen{display:none}.lead{font-size:1.1rem}main{max-"
    "width:none;padding:0}a{color:inherit;text-decoration:none}nav{display:none}p,ul,dl,figcaption{max-width:none}\n"
    "h1{font-size:20pt}h2{font-size:14pt;margin-top:1.4em;break-after:avoid}\n"
    "h3,caption{break-after:avoid}thead{display:table-header-group}thead "
    "th{position:static;box-shadow:none}tr.family{break-after:avoid}tr,figure,dd,li{break-inside:avoid}p{orphans:3;"
    "widows:3}\n"
    ".scroll{overflow:visible}td br,td small{display:none}table{font-size:8pt}th,td{padding:.16em .5em}tr.family "
    "th{padding-top:.6em}td.long{min-width:0}figure{margin:1em 0}figcaption{font-size:8pt;line-height:1.35}figure "
    "svg{min-width:0;width:92%;max-height:225mm}dd{margin:0 0 .3em}\n"
    ".tools{display:none}.gone{visibility:visible}.best,i.key{-webkit-print-color-adjust:exact;print-color-adjust:"
    "exact}}\n";

/* The bytes of an option's name that a text begins with, "--reach"; 0: it begins with none. */
static size_t option_name(const char *text)
{
    if (strncmp(text, "--", 2) || !islower((unsigned char)text[2])) return 0;
    return 2 + strspn(text + 2, "abcdefghijklmnopqrstuvwxyz0123456789-");
}

/* whole: names of options do not break after their dashes; what is copied stays as it is. */
static void text_write(FILE *to, const char *text, bool whole)
{
    enum { MOST = 2000 };
    const char *const begin = text, *end = NULL;
    size_t n = 0;
    for (; *text && !(n >= MOST && ((unsigned char)*text & 0xC0) != 0x80); text++, n++) {
        if (text == end) fputs("</span>", to);
        if (whole && option_name(text) && (text == begin || !strchr("-_/", text[-1])) &&
            (text == begin || !isalnum((unsigned char)text[-1]))) {
            fputs("<span class=\"whole\">", to);
            end = text + option_name(text);
        }
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        case '\'': fputs("&#39;", to); break;
        default: fputc((unsigned char)*text < 32 || *text == 127 ? ' ' : *text, to);
        }
    }
    if (end && text <= end) fputs("</span>", to);
    if (*text) fputs("\xE2\x80\xA6", to);
}

void html_text(FILE *to, const char *text) { text_write(to, text, false); }

void html_element(FILE *to, const char *open, const char *text, const char *close)
{
    const size_t n = strlen(open);
    const bool attribute = *close == '"' || (n && open[n - 1] == '"'), title = n >= 6 && !strcmp(open + n - 6, "title"
                                                                                                               ">");
    fputs(open, to);
    text_write(to, text, !attribute && !title);
    fputs(close, to);
}

void html_cell(FILE *to, const char *text) { html_element(to, "<td>", text, "</td>"); }

void html_key(FILE *to, unsigned colour)
{
    fprintf(to, "<i class=\"key\" style=\"--light:#%06X;--dark:#%06X\"></i>", colour, colour_dark(colour));
}

void html_table_head(FILE *to, const struct html_column *columns)
{
    fputs("<thead><tr>", to);
    for (; columns->name; columns++) {
        fputs(columns->left ? "<th scope=\"col\" class=\"left\">" : "<th scope=\"col\">", to);
        html_text(to, columns->name);
        if (columns->unit) html_element(to, "<span>", columns->unit, "</span>");
        fputs("</th>", to);
    }
    fputs("</tr></thead>\n", to);
}

void html_table_begin(FILE *to, const char *caption, const struct html_column *columns)
{
    fputs("<div class=\"scroll\"><table>\n", to);
    if (caption) html_element(to, "<caption>", caption, "</caption>\n");
    html_table_head(to, columns);
    fputs("<tbody>\n", to);
}

void html_table_end(FILE *to) { fputs("</tbody></table></div>\n", to); }

void html_begin(FILE *to, const char *title)
{
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'sha256-",
          to);
    html_element(to, page_script_hash, "", "'\">\n");
    html_element(to, "<title>", title, "");
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
}

void html_end(FILE *to) { fprintf(to, "</main>\n<script>%s</script>\n</body>\n</html>\n", page_script); }
