/* claims_tables.h - verdicts on the claims of papers, as HTML. Errors of writing are those of the stream. */
#ifndef REPORTS_CLAIMS_CLAIMS_TABLES_H
#define REPORTS_CLAIMS_CLAIMS_TABLES_H

#include <stdio.h>
#include "base/doc.h"

/* One table per paper with every claim, its verdict and our numbers. exhibits: the array of claims/1. */
void claims_summary_write(FILE *to, const doc *exhibits);
/* The claims of one exhibit with what was checked. */
void claims_checks_write(FILE *to, const doc *exhibit);

#endif
