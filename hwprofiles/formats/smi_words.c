/* smi_words.c - the words of `nvidia-smi topo -m`. */
#include "hwprofiles/formats/smi_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool smi_is_blank(char c) { return c == ' ' || c == '\t'; }

const char *smi_skip_blanks(const char *t)
{
    while (smi_is_blank(*t)) t++;
    return t;
}

bool smi_word_starts(const char *line, const char *t)
{
    return t == line || !(isalnum((unsigned char)t[-1]) || strchr("_-./", t[-1]));
}

int smi_count_words(const char *from, const char *to)
{
    int n = 0;
    while (from < to) {
        from = smi_skip_blanks(from);
        if (from >= to || !*from) break;
        n++;
        while (from < to && *from && !smi_is_blank(*from)) from++;
    }
    return n;
}

size_t smi_match_device(const char *t, struct smi_device *out)
{
    static const char *const families[] = {"GPU", "NIC", "mlx5_", "mlx4_", NULL};
    for (int f = 0; families[f]; f++) {
        size_t n = strlen(families[f]), digits = 0;
        if (strncmp(t, families[f], n)) continue;
        while (isdigit((unsigned char)t[n + digits])) digits++;
        if (digits < 1 || digits > 4 || (digits > 1 && t[n] == '0')) return 0;
        out->gpu = f == 0;
        out->id = atoi(t + n);
        snprintf(out->name, sizeof out->name, "%.*s", (int)(n + digits), t);
        return n + digits;
    }
    return 0;
}

/* The vocabulary word at t, whatever follows it. */
static size_t cell_word(const char *t, struct smi_cell *out)
{
    static const struct {
        const char *word;
        unsigned char path;
    } words[] = {{"NODE", SMI_NODE}, {"PIX", SMI_PIX}, {"PXB", SMI_PXB}, {"PHB", SMI_PHB},
                 {"SYS", SMI_SYS},   {"SOC", SMI_SYS}, {"X", SMI_SELF}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (text_starts(t, words[i].word)) {
            *out = (struct smi_cell){words[i].path, 0};
            return strlen(words[i].word);
        }
    if (t[0] == 'N' && t[1] == 'V' && t[2] >= '1' && t[2] <= '9') {
        bool two = isdigit((unsigned char)t[3]);
        int links = two ? 10 * (t[2] - '0') + t[3] - '0' : t[2] - '0';
        *out = (struct smi_cell){SMI_NVLINK, (unsigned char)links};
        return two ? 4 : 3;
    }
    return 0;
}

size_t smi_match_cell(const char *t, struct smi_cell *out)
{
    size_t first = cell_word(t, out), at = first;
    bool nvlink = first && out->path == SMI_NVLINK;
    enum { GLUED_BYTES_MAX = 256 }; /* bounds the time for hostile lines; a row of twenty glued cells has 80 bytes */
    if (!first) return 0;
    while (at < GLUED_BYTES_MAX) {
        struct smi_cell next;
        size_t n;
        if (!t[at] || smi_is_blank(t[at])) return first;
        if (!nvlink && isdigit((unsigned char)t[at])) return first; /* NV120-19: the width is ambiguous */
        if (text_starts(t + at, "N/A")) return first;
        n = cell_word(t + at, &next);
        if (!n) return 0;
        nvlink = next.path == SMI_NVLINK;
        at += n;
    }
    return 0;
}

size_t smi_match_p2p(const char *t)
{
    static const char *const words[] = {"OK", "CNS", "GNS", "TNS", "NS", "DR", "U", NULL};
    for (int i = 0; words[i]; i++) {
        size_t n = strlen(words[i]);
        if (text_starts(t, words[i]) && (!t[n] || smi_is_blank(t[n]))) return n;
    }
    return 0;
}

size_t smi_match_affinity(const char *t, bool cut, int *which)
{
    static const char *const names[] = {"CPU Affinity", "NUMA Affinity", "GPU NUMA ID"};
    for (int i = 0; i < 3; i++) {
        const char *a = t, *b = names[i];
        while (*b) {
            if (*b == ' ') {
                const char *next = smi_skip_blanks(a);
                if (next == a && *a) break;
                a = next;
                b++;
            } else if (*a == *b) {
                a++;
                b++;
            } else break;
        }
        if (!*b || (cut && !*a && a > t)) {
            *which = i;
            return (size_t)(a - t);
        }
    }
    return 0;
}
