#include "hwprofiles/show/server_text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

void server_ids_text(const struct server *s, const int *position, int count, bool bare, char *out, size_t size)
{
    int id[SERVER_GPUS_MAX];
    out[0] = 0;
    for (int i = 0; i < count; i++) id[i] = s->gpu[position[i]].id;
    if (!bare) text_append(out, size, "{");
    text_append_ids(out, size, id, count);
    if (!bare) text_append(out, size, "}");
}

void server_shape_text(const struct server *s, char *out, size_t size)
{
    out[0] = 0;
    for (int k = 0; k < s->cliques;) {
        int count = 0, width = s->clique_size[k];
        while (k < s->cliques && s->clique_size[k] == width) { /* cliques are numbered by descending size */
            k++;
            count++;
        }
        text_append(out, size, "%s%d x %d", out[0] ? " + " : "", count, width);
    }
}

void server_pcie_text(const struct server *s, char *out, size_t size)
{
    out[0] = 0;
    if (!s->pcie_generation && !s->pcie_width && !(s->pcie_gbps > 0)) return;
    if (!s->pcie_generation &&
        !s->pcie_width) { /* NVLink to the host, or a source that does not state the generation */
        text_append(out, size, "%.4g GB/s to the host", s->pcie_gbps);
        return;
    }
    text_append(out, size, "PCIe");
    if (s->pcie_generation) text_append(out, size, " %d.0", s->pcie_generation);
    if (s->pcie_width) text_append(out, size, " x%d", s->pcie_width);
    if (s->pcie_gbps > 0) text_append(out, size, " (%.4g GB/s)", s->pcie_gbps);
}

void server_models_text(const struct server *s, char *out, size_t size)
{
    bool done[SERVER_GPUS_MAX] = {false};
    out[0] = 0;
    for (int i = 0; i < s->gpus; i++) {
        int count = 0;
        if (done[i]) continue;
        for (int j = i; j < s->gpus; j++)
            if (!strcmp(s->gpu[i].model, s->gpu[j].model)) {
                done[j] = true;
                count++;
            }
        text_append(out, size, "%s%d x %s", out[0] ? ", " : "", count, s->gpu[i].model[0] ? s->gpu[i].model : "GPU");
    }
}

double server_gbps_per_link(const struct server *s)
{
    double one = 0;
    if (s->links_uncounted) return 0;
    for (int i = 0; i < s->gpus; i++)
        for (int j = 0; j < i; j++) {
            double per = s->links[i][j] ? s->link_gbps[i][j] / s->links[i][j] : 0;
            if (!s->links[i][j]) continue;
            if (!(per > 0) || (one > 0 && fabs(per - one) > 1e-9 * one)) return 0;
            one = per;
        }
    return one;
}
