/* html.c - text, tables and the frame of a page; see html.h. */
#include "reports/formats/html.h"

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
    "h1{font-size:20pt}h2{font-size:14pt;margin-top:1.2em;padding-top:0;border:0;break-after:avoid}section.subject+"
    "section.subject,section.about{break-"
    "before:page}section.subject+section.subject h2,section.about h2{margin-top:0}\n"
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

void html_element(FILE *to, const char *open, const char *text, const char *close)
{
    fputs(open, to);
    html_text(to, text);
    fputs(close, to);
}

void html_cell(FILE *to, const char *text) { html_element(to, "<td>", text, "</td>"); }

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
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'\">\n<title>",
          to);
    html_text(to, title);
    fprintf(to, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", style);
}

void html_end(FILE *to) { fputs("</main>\n</body>\n</html>\n", to); }
