/* smi_text.c - removes escape sequences, unifies line ends and blanks, and cuts a text into lines. */
#include "hwprofiles/formats/smi_text.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { LINE_USED_MAX = 1 << 14 };

/* How logs, editors and web pages write an escape byte. */
static const char *const escape_looks[] = {"\x1b",    "^[",      "\\e",   "\\033",        "\\x1b",        "\\x1B",
                                           "\\u001b", "\\u001B", "<ESC>", "\xe2\x90\x9b", "\xef\xbf\xbd", NULL};

/* Length of the rest "[4m" of a control sequence at t, 0 for none. Without its escape byte only colours and erasing
 * count, because "[a]" may be text. */
static size_t sequence_rest(const char *t, bool escaped)
{
    const char *c = t;
    if (*c++ != '[') return 0;
    while (isdigit((unsigned char)*c) || *c == ';' || (escaped && *c && strchr("?=>:", *c))) c++;
    if (escaped ? isalpha((unsigned char)*c) : *c == 'm' || *c == 'K') return (size_t)(c - t) + 1;
    return 0;
}

/* Length of the escape sequence at t, 0 for none; *blank is set when it moves the cursor forward. */
static size_t sequence(const char *t, bool *blank)
{
    *blank = false;
    for (const char *const *look = escape_looks; *look; look++) {
        size_t n = strlen(*look), rest;
        if (!text_starts(t, *look)) continue;
        rest = sequence_rest(t + n, true);
        if (rest) {
            *blank = t[n + rest - 1] == 'C';
            return n + rest;
        }
        if (**look != '\x1b') continue;
        if (t[1] == ']') { /* a title: up to BEL or ESC \ on the same line */
            size_t k = 2;
            while (t[k] && t[k] != '\n' && t[k] != '\a' && t[k] != '\x1b') k++;
            return t[k] == '\a' ? k + 1 : k;
        }
        if (t[1] && strchr("()*+", t[1]) && t[2] && t[2] != '\n') return 3;
        return t[1] && t[1] != '\n' ? 2 : 1;
    }
    return sequence_rest(t, false);
}

/* Length of a blank other than space and tab (no-break, em, ideographic), or of a mark without width; *plain: what
 * replaces it, 0 for nothing. */
static size_t odd_blank(const unsigned char *t, char *plain)
{
    *plain = ' ';
    if (t[0] == 0xc2 && t[1] == 0xa0) return 2;
    if (t[0] == 0xe2 && t[1] == 0x80 && (t[2] <= 0x8a || t[2] == 0xaf) && t[2] >= 0x80) return 3;
    if (t[0] == 0xe3 && t[1] == 0x80 && t[2] == 0x80) return 3;
    *plain = 0;
    if (t[0] == 0xe2 && t[1] == 0x80 && t[2] == 0x8b) return 3;
    if (t[0] == 0xef && t[1] == 0xbb && t[2] == 0xbf) return 3;
    return 0;
}

static size_t clean(char *out, const char *text, bool cr_ends_lines)
{
    size_t n = 0;
    for (const char *t = text; *t;) {
        bool blank;
        char plain;
        size_t skip = sequence(t, &blank);
        if (skip) {
            if (blank) out[n++] = ' ';
        } else if ((skip = odd_blank((const unsigned char *)t, &plain)) > 0) {
            if (plain) out[n++] = plain;
        } else {
            skip = 1;
            if (*t == '\r') {
                if (cr_ends_lines) out[n++] = '\n';
            } else if (*t == '\v' || *t == '\f') out[n++] = ' ';
            else if ((unsigned char)*t >= 32 || *t == '\n' || *t == '\t') out[n++] = *t;
        }
        t += skip;
    }
    out[n] = 0;
    return n;
}

enum st smi_text_init(struct smi_text *t, const char *text, size_t bytes, const char *name, struct err *err)
{
    enum st st = ST_OK;
    size_t n, lines = 1;
    *t = (struct smi_text){.name = name};
    NEW(t->buffer, bytes + 1, "the text of nvidia-smi");
    n = clean(t->buffer, text, !memchr(text, '\n', bytes));
    for (size_t i = 0; i < n; i++) lines += t->buffer[i] == '\n';
    NEW(t->line, lines, "the lines of nvidia-smi");
    t->line[t->lines++] = t->buffer;
    for (size_t i = 0; i < n; i++)
        if (t->buffer[i] == '\n') {
            t->buffer[i] = 0;
            t->line[t->lines++] = t->buffer + i + 1;
        }
    for (int i = 0; i < t->lines; i++) /* no row of 72 GPUs is that long: skip such lines, which would cost time */
        if (strnlen(t->line[i], LINE_USED_MAX + 1) > LINE_USED_MAX) t->line[i] = t->buffer + n;
done:
    if (st != ST_OK) smi_text_release(t);
    return st;
}

void smi_text_release(struct smi_text *t)
{
    mem_free(t->buffer);
    mem_free(t->line);
    *t = (struct smi_text){0};
}
