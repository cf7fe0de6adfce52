/* size_document.h - a size question and its answer as the document size/1.
 *
 * size/1: schema, graph{name, vertices, edges, ..} that was recorded, stand_in (null or {like, scale, seed,
 * full_vertices, warning, known_error (null or the published hit rate and ours), note}), policy, targets[]{text,
 * metric, value}, rules{knee, cheapest, ..}, curves[]{label, server, gpus, cliques, largest_clique, nvlink,
 * feature_type, fanout[], batch, grow, share, factor, price_per_hour, price_source (profile, --price or null),
 * memory_bytes, reservation{..}, limit_bytes, step_bytes, everything_bytes, missing_bytes, unknown[],
 * price_text, currency, watts (null: not known), host_memory_bytes, host_topology_bytes, host_feature_bytes,
 * host_loader_bytes, answer_budget_bytes, answer_gpu_bytes (with reservation and second job), unsure (no point is known
 * to meet, some cannot be evaluated), knee_budget_bytes}, candidates[] (every point of every curve: curve, what the
 * curve is, budget_bytes per GPU, rates, transactions and seconds of an epoch, cost_per_epoch, stages, bottleneck,
 * limited_by, meets (null: not known)), sentence, decision{line, reasons[], notes[], objective, option, runner_up,
 * best{money, time, energy}, front[]} (numbers of options), epochs, options[]{curve, label, servers, fits, rows_below
 * (host, split, ssd), host_needs_bytes, host_left_bytes (to the page cache), ssd_fill_seconds (once; in
 * training_seconds), ssd_fill_cost, ssd_fill_kwh (in cost and energy), lacks, remedy, budget_bytes, feature_type,
 * feature_hit_rate, transactions, epoch_seconds, stage_seconds{sample, load, transfer, propagate, network (rows of
 * other servers), storage, gradients (between servers, on top of propagate)} (of an iteration),
 * epoch_seconds_without_cases, training_seconds, cost, energy_kwh (the last two of the whole training; each with its
 * <key>_interval of 90 %), binds, verdict, front, command, line}, intervals{stage: {factor, correction, own, points,
 * cases}}, answer (null or {curve, candidate, budget_bytes, step_bytes, reserved_bytes, gpu_bytes, ..}), shown (the
 * curve that the rest is about), primary (metric), knee, next_gigabyte, frontier{time_cost[], hit_memory[]} (numbers of
 * candidates), vary (null or a map), uncertainty (null or {repeats[],
 * ..}).
 */
#ifndef PLANNER_DECISIONS_SIZE_DOCUMENT_H
#define PLANNER_DECISIONS_SIZE_DOCUMENT_H

#include "planner/decisions/size_sentence.h"

/* The document size/1 of a result. The caller frees it. */
doc *size_document(const struct size_result *r);

#endif
