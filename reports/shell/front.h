/* front.h - the page in front of several pages: one sentence per result, and a link to the page that shows it. */
#ifndef REPORTS_SHELL_FRONT_H
#define REPORTS_SHELL_FRONT_H

#include "reports/shell/page_kind.h"

/* One page behind the front page. */
struct front_entry {
    const struct page_kind *kind;
    const char *const *inputs; /* borrowed */
    int count;
};

/* Draws every entry into a folder of its own below request->out_dir, and index.html in front of them. Errors are those
 * of the pages; a failure leaves the old folder or nothing. */
enum st front_report(const struct page_request *request, const struct front_entry *entries, int count, struct err *err)
    MUST_USE;

#endif
