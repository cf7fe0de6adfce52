/* changes.h - `--change TARGET:KEY=VALUE,..`: what a stand-in or a server file has otherwise, so that the reason why a
 * claim does not hold can be shown: with that one property changed, it holds, or moves. Likewise `--graph NAME=DIR,..`.
 *
 * TARGET is a data set (keys kind, mixing, gamma, communities, span, a, vertices, edges; the last two as factors) or a
 * shipped server profile (any number in the file, or one of its GPUs' numbers). Pure apart from what is changed; any
 * thread may call.
 */
#ifndef PLANNER_CLAIMS_CHANGES_H
#define PLANNER_CLAIMS_CHANGES_H

#include <stdbool.h>

#include "base/doc.h"
#include "traces/synth/synth.h"

/* Puts {LEFT: RIGHT} of the text "LEFT=RIGHT,.." (NULL: nothing) into `out`. ST_USAGE, in the option's name: a word is
 * not of that form. */
enum st changes_pairs(const char *option, const char *text, const char *form, doc *out, struct err *err) MUST_USE;
/* Puts {"TARGET:KEY": "VALUE"} into `out`. ST_USAGE: a data set has no such key, or that is no number. Servers are
 * checked when they are read. */
enum st changes_read(const char *text, doc *out, struct err *err) MUST_USE;
/* Applies the changes of data set `set` to the options of its stand-in. ST_USAGE. */
enum st changes_stand_in(const doc *changes, const char *set, struct synth_options *o, struct err *err) MUST_USE;
/* Applies the changes of server `name` to its document. ST_USAGE for a key that it has no number for. */
enum st changes_server(const doc *changes, const char *name, doc *d, struct err *err) MUST_USE;
/* The key of the next change of `target` behind `key` (NULL: the first); NULL: there is no more. */
const char *changes_next(const doc *changes, const char *target, const char *key);

#endif
