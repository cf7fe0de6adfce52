/* changes.h - `--change TARGET:KEY=VALUE,..`: what a stand-in or a server file has otherwise, so that the reason why a
 * claim does not hold can be shown: with that one property changed, it holds, or moves.
 *
 * TARGET is a data set (keys kind, mixing, gamma, communities, span, a, vertices, edges; the last two as factors) or a
 * shipped server profile (any number in the file, or one of its GPUs' numbers). Everything borrows the text of the
 * option. Pure apart from *o and *d; any thread may call.
 */
#ifndef PLANNER_CLAIMS_CHANGES_H
#define PLANNER_CLAIMS_CHANGES_H

#include <stdbool.h>

#include "base/doc.h"
#include "traces/synth/synth.h"

/* Whether the text (NULL: none) can be read: data sets, keys and numbers. ST_USAGE. Servers are checked when they are
 * read. */
enum st changes_check(const char *changes, struct err *err) MUST_USE;
/* Applies the changes of data set `set` to the options of its stand-in. ST_USAGE. */
enum st changes_stand_in(const char *changes, const char *set, struct synth_options *o, struct err *err) MUST_USE;
/* Whether any change is of `target`. */
bool changes_any(const char *changes, const char *target);
/* Applies the changes of server `name` to its document. ST_USAGE for a key that it has no number for. */
enum st changes_server(const char *changes, const char *name, doc *d, struct err *err) MUST_USE;

#endif
