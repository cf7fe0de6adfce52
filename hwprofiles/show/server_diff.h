/* server_diff.h - what differs between two servers. */
#ifndef HWPROFILES_SHOW_SERVER_DIFF_H
#define HWPROFILES_SHOW_SERVER_DIFF_H

#include "hwprofiles/model/server.h"

/* The document server_diff/1: a, b (names), same (true when nothing differs), differences[]{what, a, b}, one line per
 * fact, both sides in words. Names, descriptions and provenance are not compared: they say nothing of the machine.
 * Owned by the caller; NULL only when memory is out. */
doc *server_diff(const struct server *a, const struct server *b);

#endif
