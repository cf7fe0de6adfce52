#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- what is missing ---- */

/* Process-wide; see text.h. */
static bool loss;

void text_note_loss(void) { __atomic_store_n(&loss, true, __ATOMIC_RELAXED); }

bool text_loss_noted(void) { return __atomic_load_n(&loss, __ATOMIC_RELAXED); }

/* ---- words ---- */

/* Edit distance with swaps of neighbouring letters; a word of more than 40 letters is far from every word. */
static int distance(const char *a, const char *b)
{
    enum { MAX = 40 };
    int d[MAX + 1][MAX + 1], n = (int)strlen(a), m = (int)strlen(b);
    if (n > MAX || m > MAX) return n > m ? n : m; /* never near */
    for (int i = 0; i <= n; i++) d[i][0] = i;
    for (int j = 0; j <= m; j++) d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best) best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best) best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *text_nearest(const char *word, const char *const *words)
{
    const char *best = NULL;
    int limit = (int)strlen(word) / 3 + 1, least = limit + 1;
    for (; *words; words++) {
        int d = distance(word, *words);
        if (d < least) {
            least = d;
            best = *words;
        }
        if (d > limit && !best && strlen(word) >= 3 && !strncmp(*words, word, strlen(word))) best = *words;
    }
    return best;
}

int text_split(char *text, char separator, char **parts, int max)
{
    int n = 0;
    for (;;) {
        if (n == max) return -1;
        parts[n++] = text;
        char *stop = strchr(text, separator);
        if (!stop) return n;
        *stop = '\0';
        text = stop + 1;
    }
}

void text_append(char *buffer, size_t size, const char *format, ...)
{
    size_t used = strlen(buffer);
    va_list ap;
    if (used + 1 >= size) return;
    va_start(ap, format);
    vsnprintf(buffer + used, size - used, format, ap);
    va_end(ap);
}

void text_append_ids(char *buffer, size_t size, const int *id, int count)
{
    for (int i = 0; i < count; i++) {
        int j = i;
        while (j + 1 < count && id[j + 1] == id[j] + 1) j++;
        text_append(buffer, size, "%s%d", i ? "," : "", id[i]);
        if (j < i + 2) continue;
        text_append(buffer, size, "-%d", id[j]);
        i = j;
    }
}

bool text_starts(const char *text, const char *prefix) { return !strncmp(text, prefix, strlen(prefix)); }
bool text_equal_nocase(const char *a, const char *b) { return !strcasecmp(a, b); }

/* ---- characters ---- */

int text_utf8_bytes(const char *text, size_t room)
{
    const unsigned char *s = (const unsigned char *)text;
    int n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    if ((size_t)n > room) return 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90),
         surrogate = s[0] == 0xed && s[1] > 0x9f, beyond = s[0] == 0xf4 && s[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : n;
}

/* The character at s, of n bytes, if a terminal obeys it; -1: it only shows it. */
static int control_of(const char *text, int n)
{
    const unsigned char *s = (const unsigned char *)text;
    int c = n == 1   ? s[0]
            : n == 2 ? (s[0] & 0x1f) << 6 | (s[1] & 0x3f)
            : n == 3 ? (s[0] & 0x0f) << 12 | (s[1] & 0x3f) << 6 | (s[2] & 0x3f)
                     : 'a'; /* none has four bytes */
    bool obeyed = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0),
         turns = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    return obeyed || turns ? c : -1;
}

size_t text_visible(char *out, size_t size, const char *text, size_t bytes, size_t *taken)
{
    size_t used = 0, at = 0;
    while (at < bytes) {
        char escape[8];
        int n = text_utf8_bytes(text + at, bytes - at), control = n ? control_of(text + at, n) : -1, length = n;
        if (!n) length = snprintf(escape, sizeof escape, "\\x%02x", (unsigned char)text[at]);
        else if (control >= 0) length = snprintf(escape, sizeof escape, "\\u%04x", control & 0xffff);
        if (used + (size_t)length >= size) break;
        memcpy(out + used, length == n ? text + at : escape, (size_t)length);
        used += (size_t)length;
        at += n ? (size_t)n : 1;
    }
    out[used] = '\0';
    if (taken) *taken = at;
    return used;
}
