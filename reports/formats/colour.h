/* colour.h - colours as numbers: their counterparts on a dark ground, and how well one is read on another.
 *
 * Figures are drawn for white paper. On a dark screen each colour is replaced by one of the same hue with the lightness
 * turned round, so that what stands out on white stands out on the dark ground, too. Colours are 0xRRGGBB. Every
 * function is pure; any thread may call.
 */
#ifndef REPORTS_FORMATS_COLOUR_H
#define REPORTS_FORMATS_COLOUR_H

/* The counterpart of a colour on a dark ground. White becomes the ground itself, black nearly white. Lightness and hue
 * are those of Oklab (Ottosson, A perceptual color space for image processing, 2020). */
unsigned colour_dark(unsigned colour);
/* The contrast ratio of two colours, 1 to 21 (WCAG 2.1, definition of contrast ratio); small text needs 4.5. */
double colour_contrast(unsigned a, unsigned b);

#endif
