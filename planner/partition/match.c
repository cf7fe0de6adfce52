#include "planner/partition/match.h"

#include <stdbool.h>

/* Rows and columns are counted from 1; 0 is where a path begins. */
struct matching {
    int n;
    const int64_t *gain;
    int64_t row_price[MATCH_MOST + 1], column_price[MATCH_MOST + 1];
    int row_of[MATCH_MOST + 1], back[MATCH_MOST + 1]; /* of a column: its row, and the column before it on the path */
};

/* The shortest path from a row to a column without one; prices change so that edges of the matching stay tight. */
static int find_path(struct matching *m, int row)
{
    int64_t least[MATCH_MOST + 1];
    bool used[MATCH_MOST + 1] = {false};
    int at = 0;
    for (int j = 0; j <= m->n; j++) least[j] = INT64_MAX;
    m->row_of[0] = row;
    do {
        int i = m->row_of[at], next = 0;
        int64_t step = INT64_MAX;
        used[at] = true;
        for (int j = 1; j <= m->n; j++) {
            if (used[j]) continue;
            int64_t cost = -m->gain[(i - 1) * m->n + j - 1] - m->row_price[i] - m->column_price[j];
            if (cost < least[j]) {
                least[j] = cost;
                m->back[j] = at;
            }
            if (least[j] < step) {
                step = least[j];
                next = j;
            }
        }
        for (int j = 0; j <= m->n; j++)
            if (used[j]) {
                m->row_price[m->row_of[j]] += step;
                m->column_price[j] -= step;
            } else least[j] -= step;
        at = next;
    } while (m->row_of[at]);
    return at;
}

void match_best(int n, const int64_t *gain, int *column)
{
    struct matching m = {.n = n, .gain = gain};
    for (int i = 1; i <= n; i++)
        for (int at = find_path(&m, i); at; at = m.back[at]) m.row_of[at] = m.row_of[m.back[at]];
    for (int j = 1; j <= n; j++) column[m.row_of[j] - 1] = j - 1;
}
