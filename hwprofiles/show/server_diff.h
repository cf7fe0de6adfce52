/* server_diff.h - what differs between two servers. */
#ifndef HWPROFILES_SHOW_SERVER_DIFF_H
#define HWPROFILES_SHOW_SERVER_DIFF_H

#include "hwprofiles/model/server.h"

/* The document server_diff/1: a, b (names), same (true when nothing differs), differences[]{what, a, b}: one entry per
 * fact, both sides in words. Names, descriptions and provenance are not compared, because the machine does not depend
 * on them. The caller frees it with doc_free; when memory is out, saving or printing it reports that. */
doc *server_diff(const struct server *a, const struct server *b);

#endif
