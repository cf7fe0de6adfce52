#define _GNU_SOURCE
#include "base/terminal.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ranks.h"
#include "base/text.h"

/* mpirun gives its processes a terminal of its own, and copies what they write there to its standard output. */
static bool is_terminal(FILE *to)
{
    int descriptor = fileno(to);
    return descriptor >= 0 && !ranks_by_mpirun() && isatty(descriptor);
}

int terminal_width(FILE *to)
{
    enum { USUAL = 80 };
    struct winsize size = {0};
    const char *said = getenv("COLUMNS");
    if (!is_terminal(to)) return 0;
    long columns = said ? strtol(said, NULL, 10) : 0;
    if (columns <= 0 && ioctl(fileno(to), TIOCGWINSZ, &size) == 0) columns = size.ws_col;
    if (columns <= 0) columns = USUAL;
    return columns < TERMINAL_LEAST ? TERMINAL_LEAST : columns > TERMINAL_MOST ? TERMINAL_MOST : (int)columns;
}

bool terminal_moves(FILE *to)
{
    const char *kind = getenv("TERM");
    return is_terminal(to) && kind && *kind && strcmp(kind, "dumb") != 0;
}

static bool has_colours(FILE *to)
{
    const char *none = getenv("NO_COLOR");
    return !(none && *none) && terminal_moves(to);
}

const char *terminal_begin(FILE *to, enum terminal_style style)
{
    static const char *const codes[] = {[TERMINAL_PLAIN] = "",
                                        [TERMINAL_BOLD] = "\033[1m",
                                        [TERMINAL_DIM] = "\033[2m",
                                        [TERMINAL_RED] = "\033[31m",
                                        [TERMINAL_YELLOW] = "\033[33m"};
    return has_colours(to) ? codes[style] : "";
}

const char *terminal_end(FILE *to) { return has_colours(to) ? "\033[0m" : ""; }

/* ---- lines ---- */

static int characters(const char *text, size_t bytes)
{
    int count = 0;
    for (size_t i = 0; i < bytes; i++) count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

int terminal_length(const char *text) { return characters(text, strlen(text)); }

/* Bytes of the first `count` characters of a text. */
static int bytes_of(const char *text, int count)
{
    int bytes = 0;
    while (text[bytes] && (((unsigned char)text[bytes] & 0xC0) == 0x80 || count-- > 0)) bytes++;
    return bytes;
}

static void word_print(FILE *to, const char *word, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) fputc(word[i] == HARD_SPACE ? ' ' : word[i], to);
}

int terminal_words(FILE *to, const char **text, int width, bool cut)
{
    int used = 0;
    for (const char *at = *text; *at; at += strspn(at, " "), *text = at) {
        size_t bytes = strcspn(at, " ");
        int word = characters(at, bytes);
        if (used && used + 1 + word > width) break;
        if (used) fputc(' ', to);
        if (cut && word > width) {
            word_print(to, at, (size_t)bytes_of(at, width - 2));
            fputs("..", to);
            word = width;
        } else word_print(to, at, bytes);
        used += word + (used > 0);
        at += bytes;
    }
    return used;
}

void terminal_wrap(FILE *to, const char *text, int indent, int width)
{
    while (*text) {
        terminal_words(to, &text, width - indent, false);
        if (*text) fprintf(to, "\n%*s", indent, "");
    }
    fputc('\n', to);
}

/* Prints lines, those beyond `width` broken at blanks; the style ends before the last line does. */
static void lines_print(FILE *to, enum terminal_style style, char *text, int width)
{
    fputs(terminal_begin(to, style), to);
    for (char *line = text, *next; *line; line = next) {
        size_t bytes = strcspn(line, "\n"), blanks = strspn(line, " ");
        next = line + bytes + (line[bytes] == '\n');
        line[bytes] = '\0';
        const char *rest = line + blanks;
        fprintf(to, "%*s", (int)blanks, "");
        if (terminal_length(line) <= width) fputs(rest, to);
        else
            while (*rest) {
                terminal_words(to, &rest, width - (int)blanks, false);
                if (*rest) fprintf(to, "\n%*s", (int)blanks, "");
            }
        if (!*next && style != TERMINAL_PLAIN) fputs(terminal_end(to), to);
        fputc('\n', to);
    }
}

static void styled_print(FILE *to, enum terminal_style style, const char *format, va_list ap)
{
    char *text = NULL;
    int width = terminal_width(to);
    if (!width) vfprintf(to, format, ap);
    else if (vasprintf(&text, format, ap) >= 0) {
        lines_print(to, style, text, width);
        free(text);
    } else text_note_loss();
}

void terminal_print(FILE *to, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    styled_print(to, TERMINAL_PLAIN, format, ap);
    va_end(ap);
}

void terminal_say(FILE *to, enum terminal_style style, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    styled_print(to, style, format, ap);
    va_end(ap);
}
