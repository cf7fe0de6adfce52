/* page_script.h - the style and the one script of a page, page.css and page.js, as the Makefile embeds them
 * (build/gen/page_script.c).
 */
#ifndef REPORTS_FORMATS_PAGE_SCRIPT_H
#define REPORTS_FORMATS_PAGE_SCRIPT_H

extern const char page_style[];
extern const char page_script[];      /* its text */
extern const char page_script_hash[]; /* SHA-256 of the text in base64, for the page's Content-Security-Policy */

#endif
