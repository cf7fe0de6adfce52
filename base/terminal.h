/* terminal.h - what a terminal has room for, and colours.
 *
 * Only a stream that is a terminal has a width and colours; files and pipes get the same bytes everywhere, with
 * sentences of at most TERMINAL_PIPED characters. NO_COLOR
 * (not empty) and TERM=dumb turn colours off. COLUMNS goes before what the terminal says. Texts are UTF-8; a width
 * counts characters. Any thread may call.
 */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

enum { TERMINAL_LEAST = 40, TERMINAL_MOST = 200, TERMINAL_PIPED = 100 };

/* For main, before anything is printed: from here on standard output and error show control characters instead of
 * sending them (text_visible), whoever prints. Names come from anybody's documents, and a terminal obeys them. Only
 * terminal_code passes by. Bytes that begin a character and end the output are not written. ST_LIMIT: no memory. */
enum st terminal_guard(struct err *err) MUST_USE;

/* Sends a code of hotset's own ("\r\033[K") to a terminal, behind what was printed. */
void terminal_code(FILE *to, const char *code);

/* Columns of the terminal behind a stream, TERMINAL_LEAST to TERMINAL_MOST; 0 when it is none. */
int terminal_width(FILE *to);

enum terminal_style { TERMINAL_PLAIN, TERMINAL_BOLD, TERMINAL_DIM, TERMINAL_RED, TERMINAL_YELLOW };
/* What is printed from here on has the style; TERMINAL_PLAIN ends every style. Nothing where the stream has no colours.
 */
void terminal_style(FILE *to, enum terminal_style style);
/* Whether the stream is a terminal that can move its cursor. */
bool terminal_moves(FILE *to);

/* Characters of a UTF-8 text. */
int terminal_length(const char *text);
enum { HARD_SPACE = 1 }; /* in a text that is wrapped: printed as a blank at which no line is broken */
/* Prints the words of *text that stand in a line of `width` characters, at least one, and moves *text behind them. cut:
 * a word that is longer ends with "..". Returns the characters printed. */
int terminal_words(FILE *to, const char **text, int width, bool cut);
/* Prints a text and ends the line; lines have at most `width` characters and are broken at spaces. The cursor is at
 * column `indent`, where further lines begin. */
void terminal_wrap(FILE *to, const char *text, int indent, int width);
/* Prints whole lines; those that are too wide for a terminal are broken at spaces, on standard output also where it is
 * none (TERMINAL_PIPED). Messages on standard error keep one line each there, which a log is searched by. What follows
 * the mark of a list ("  - ") stays behind it. */
void terminal_print(FILE *to, const char *format, ...) PRINTF_LIKE(2, 3);
/* Prints a command to copy behind some words ("the plan: ") and ends the line. It is never broken. */
void terminal_command(FILE *to, const char *words, const char *format, ...) PRINTF_LIKE(3, 4);
/* The same in a style. */
void terminal_say(FILE *to, enum terminal_style style, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
