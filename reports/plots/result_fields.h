/* result_fields.h - the keys of results/1 as tables (base/fields.h). */
#ifndef REPORTS_PLOTS_RESULT_FIELDS_H
#define REPORTS_PLOTS_RESULT_FIELDS_H

#include "reports/formats/keys.h"
#include "reports/plots/result_rows.h"

/* What fields_read fills by results_fields. */
struct result_list {
    struct result_row *row; /* room for them: as many as the document has */
    int count;
};

extern const struct field results_fields[];   /* of a struct result_list */
extern const struct field plan_row_fields[];  /* of a struct result_row: what plan.json and a row have in common */
extern const struct field simulated_fields[]; /* likewise: their member `simulated` */

/* Keys of what was predicted or simulated; of: that member of the row. */
#define KEYS_OF_RATES(of)                                                                                              \
    KEY_SHARE("feature_hit_rate", "Of feature rows, what GPU memory serves.",                                          \
              FIELD_TO(struct result_row, of.feature_hit)),                                                            \
        KEY_SHARE("topology_hit_rate", "Of visits of topology, what GPU memory serves.",                               \
                  FIELD_TO(struct result_row, of.topology_hit)),                                                       \
        KEY_NUMBER("topology_transactions", NULL, "PCIe transactions of an epoch for topology.",                       \
                   FIELD_TO(struct result_row, of.topology)),                                                          \
        KEY_NUMBER("feature_transactions", NULL, "PCIe transactions of an epoch for features.",                        \
                   FIELD_TO(struct result_row, of.feature)),                                                           \
        KEY_NUMBER("total_transactions", NULL, "PCIe transactions of an epoch.",                                       \
                   FIELD_TO(struct result_row, of.total))
/* Which table of rows an entry is of, in graphs with several types. */
#define KEYS_OF_TABLE                                                                                                  \
    KEY_TEXT("kind", "topology, feature or edge_feature."),                                                            \
        KEY_TEXT("type", "Of feature rows: the type of vertices."),                                                    \
        KEY_TEXT("source", "Of others: the type that edges start at."), KEY_TEXT("relation", "Of others: its name."),  \
        KEY_TEXT("target", "Of others: the type that edges end at.")
/* Who serves reads of it. */
extern const struct field simulated_served_fields[];

#endif
