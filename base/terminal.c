#define _GNU_SOURCE
#include "base/terminal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ranks.h"
#include "base/text.h"

/* ---- what leaves the process ---- */

/* Standard output and error are streams of our own (fopencookie of glibc), so that every printf passes here, that of a
 * library too. Process-wide, as those streams are: they are written to until the process ends. Before this, each of
 * about twenty places had to remember that a name can hold "\033]0;..", and none did. */
enum { CHARACTER = 4, PIECE = 1024 };
static struct screen {
    FILE *stream; /* NULL: not guarded */
    int descriptor;
    char part[CHARACTER]; /* the begin of a character whose end has not come yet */
    size_t held;
} screens[2];

static int descriptor_of(FILE *to)
{
    for (int i = 0; i < 2; i++)
        if (to == screens[i].stream) return screens[i].descriptor;
    return fileno(to);
}

static bool write_all(int descriptor, const char *text, size_t bytes)
{
    while (bytes) {
        ssize_t done = write(descriptor, text, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        text += done;
        bytes -= (size_t)done;
    }
    return true;
}

/* Bytes at the end that begin a character and do not end it. */
static size_t open_bytes(const char *text, size_t bytes)
{
    for (size_t n = 1; n < CHARACTER && n <= bytes; n++) {
        unsigned char c = (unsigned char)text[bytes - n];
        size_t whole = c < 0xc2 || c > 0xf4 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if ((c & 0xc0) != 0x80) return whole > n ? n : 0;
    }
    return 0;
}

/* Of fopencookie: writes a text as text_visible shows it. 0: it was not written. */
static ssize_t screen_write(void *cookie, const char *text, size_t bytes)
{
    struct screen *s = cookie;
    char in[CHARACTER + PIECE], out[6 * sizeof in + 1];
    for (size_t at = 0, piece; at < bytes; at += piece) {
        piece = bytes - at < PIECE ? bytes - at : PIECE;
        size_t held = s->held, all = held + piece;
        memcpy(in, s->part, held);
        memcpy(in + held, text + at, piece);
        s->held = open_bytes(in, all);
        memcpy(s->part, in + all - s->held, s->held);
        if (!write_all(s->descriptor, out, text_visible(out, sizeof out, in, all - s->held, NULL))) return 0;
    }
    return (ssize_t)bytes;
}

enum st terminal_guard(struct err *err)
{
    FILE **const streams[] = {&stdout, &stderr};
    for (int i = 0; i < 2; i++) {
        struct screen *s = &screens[i];
        s->descriptor = fileno(*streams[i]);
        FILE *f = fopencookie(s, "w", (cookie_io_functions_t){.write = screen_write});
        if (!f) return err_set(err, ST_LIMIT, "out of memory while the output was opened");
        if (i) setvbuf(f, NULL, _IONBF, 0);
        else if (isatty(s->descriptor)) setvbuf(f, NULL, _IOLBF, 0);
        *streams[i] = s->stream = f;
    }
    return ST_OK;
}

void terminal_code(FILE *to, const char *code)
{
    fflush(to); /* an error stays with the stream */
    if (*code) write_all(descriptor_of(to), code, strlen(code));
}

/* ---- what a terminal can ---- */

/* mpirun gives its processes a terminal of its own, and copies what they write there to its standard output. */
static bool is_terminal(FILE *to)
{
    int descriptor = descriptor_of(to);
    return descriptor >= 0 && !ranks_by_mpirun() && isatty(descriptor);
}

int terminal_width(FILE *to)
{
    enum { USUAL = 80 };
    struct winsize size = {0};
    const char *said = getenv("COLUMNS");
    if (!is_terminal(to)) return 0;
    long columns = said ? strtol(said, NULL, 10) : 0;
    if (columns <= 0 && ioctl(descriptor_of(to), TIOCGWINSZ, &size) == 0) columns = size.ws_col;
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

void terminal_style(FILE *to, enum terminal_style style)
{
    static const char *const codes[] = {[TERMINAL_PLAIN] = "\033[0m",
                                        [TERMINAL_BOLD] = "\033[1m",
                                        [TERMINAL_DIM] = "\033[2m",
                                        [TERMINAL_RED] = "\033[31m",
                                        [TERMINAL_YELLOW] = "\033[33m"};
    if (has_colours(to)) terminal_code(to, codes[style]);
}

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
        if (text_starts(at + bytes, " %")) bytes += 1 + strcspn(at + bytes + 1, " "); /* "12.5 %" is one word */
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

/* Blanks before a line's words, and before those of its further lines, which stand behind the mark of a list. */
static int blanks_of(const char *line) { return (int)strspn(line, " "); }
static int hanging(const char *line) { return blanks_of(line) + (text_starts(line + blanks_of(line), "- ") ? 2 : 0); }

/* Prints lines, those beyond `width` broken at blanks; the style ends before the last line does. */
static void lines_print(FILE *to, enum terminal_style style, char *text, int width)
{
    if (style != TERMINAL_PLAIN) terminal_style(to, style);
    for (char *line = text, *next; *line; line = next) {
        size_t bytes = strcspn(line, "\n");
        const int begin = blanks_of(line), further = hanging(line);
        next = line + bytes + (line[bytes] == '\n');
        line[bytes] = '\0';
        const char *rest = line + begin;
        fprintf(to, "%*s", begin, "");
        if (terminal_length(line) <= width) fputs(rest, to);
        else
            for (int at = begin; *rest; at = further) {
                terminal_words(to, &rest, width - at, false);
                if (*rest) fprintf(to, "\n%*s", further, "");
            }
        if (!*next && style != TERMINAL_PLAIN) terminal_style(to, TERMINAL_PLAIN);
        fputc('\n', to);
    }
}

static void styled_print(FILE *to, enum terminal_style style, const char *format, va_list ap)
{
    char *text = NULL;
    int width = terminal_width(to);
    if (!width && to && to == screens[0].stream) width = TERMINAL_PIPED;
    if (!width) vfprintf(to, format, ap);
    else if (vasprintf(&text, format, ap) >= 0) {
        lines_print(to, style, text, width);
        free(text);
    } else text_note_loss();
}

void terminal_command(FILE *to, const char *words, const char *format, ...)
{
    va_list ap;
    fputs(words, to);
    va_start(ap, format);
    vfprintf(to, format, ap);
    va_end(ap);
    fputc('\n', to);
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
