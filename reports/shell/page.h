/* page.h - the shell of every page: from loaded documents to a folder with figures, data and index.html.
 *
 * A page room loads its documents and describes its page as a struct page: how many sections it has, and functions that
 * draw the figures of a section and write its text. page_write does what all pages share, in this order: it opens the
 * output folder, lets the functions write scripts and data, runs gnuplot, writes index.html, and puts the folder in its
 * place. A failure leaves the old folder or nothing.
 */
#ifndef REPORTS_SHELL_PAGE_H
#define REPORTS_SHELL_PAGE_H

#include "reports/figures/figures.h"

/* What a front page shows of a page behind it. */
struct page_told {
    char *answer;      /* what stands between heading and first section, as HTML, to be freed; NULL: nothing */
    char picture[400]; /* the first figure, "plots/x.svg"; "": there is none */
    char title[600];   /* its title */
};

/* What the user asked for; all texts are borrowed. */
struct page_request {
    const char *const *inputs; /* files or plan folders */
    int count;                 /* >= 1 */
    const char *out_dir;
    const char *title;             /* heading of the page; NULL or "": the page's own */
    bool quiet;                    /* no progress bar */
    double pdf;                    /* figures as PDF, too, so wide (formats/gnuplot.h) */
    const char *policies, *labels; /* of a comparison: those to show, and their names; NULL: all, their own */
    const char *up;                /* the page in front of this one, "../index.html"; NULL: none */
    struct page_told *told;        /* takes what a front page shows; NULL: there is none */
};

/* A page whose documents are loaded. Every function gets `of`; those that may be NULL say so. */
struct page {
    const char *title;      /* any text */
    const char *up;         /* as in page_request; page_write sets it */
    struct page_told *told; /* the same */
    const void *of;         /* the documents, as the functions below know them */
    int sections;
    /* Writes files in addition to the figures' own (data/results.csv); may be NULL. */
    enum st (*data)(const void *of, const char *folder, struct err *err);
    /* Adds the figures of a section, 0..sections-1. */
    enum st (*draw)(const void *of, int section, struct figures *figures, struct err *err);
    /* Writes what stands between the heading and the first section; may be NULL. */
    void (*lead)(const void *of, FILE *to);
    /* Writes a section: its text, its tables and, through page_figures_write, its figures. */
    enum st (*section)(const void *of, int section, const struct figures *figures, FILE *to, struct err *err);
    /* Writes what stands behind the last section; may be NULL. */
    void (*notes)(const void *of, FILE *to);
};

/* The title that was asked for, or `otherwise`. */
const char *page_title(const struct page_request *request, const char *otherwise);

/* Writes the page into request->out_dir: index.html, plots/ (scripts and pictures) and data/ (CSV). ST_INPUT: out_dir
 * holds something that is no report, or gnuplot failed; ST_MISSING: there is no gnuplot; ST_LIMIT: memory or disk is
 * out. */
enum st page_write(const struct page *page, const struct page_request *request, struct err *err) MUST_USE;
/* The same into a folder that is there and that the caller keeps or removes; the figures go where the empty set
 * `figures` says. Shows no bar. */
enum st page_write_into(const struct page *page, struct figures *figures, struct err *err) MUST_USE;

/* Embeds the figures of a section: picture, caption, and links to data, picture and script. ST_INPUT: gnuplot drew no
 * picture. */
enum st page_figures_some(FILE *to, const struct figures *figures, int section, int first, int most, struct err *err)
    MUST_USE; /* the figures of a section from the first-th on */
enum st page_figures_write(FILE *to, const struct figures *figures, int section, struct err *err) MUST_USE;

#endif
