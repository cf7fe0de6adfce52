// Measures a page in a browser. pages.sh puts it at the end of a copy of the page, and the copy into a frame; what is wrong goes to the frame's parent, one
// line each, behind a line that says what was seen.
"use strict";
const found = [];
const say = (what, text) => found.push(innerWidth + " pixels: " + what + ": " + String(text).trim().replace(/\s+/g, " ").slice(0, 120));
const channels = (css) => {
    const c = css.match(/[\d.]+/g).map(Number);
    return c.length > 3 && c[3] === 0 ? null : c.slice(0, 3);
};
const luminance = (rgb) => {
    const light = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
};
const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
};

// ---- oriented boxes of texts
const quad = (el) => { // corners on the screen, without the empty parts of the line above and below the letters
    const b = el.getBBox(), m = el.getScreenCTM(), top = b.y + 0.24 * b.height, bottom = b.y + 0.8 * b.height;
    return [[b.x, top], [b.x + b.width, top], [b.x + b.width, bottom], [b.x, bottom]].map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
};
const span = (q, [nx, ny]) => {
    const d = q.map(([x, y]) => x * nx + y * ny);
    return [Math.min(...d), Math.max(...d)];
};
const normals = (q) => q.map(([x, y], i) => {
    const [u, v] = q[(i + 1) % q.length], n = Math.hypot(v - y, u - x) || 1;
    return [(v - y) / n, (x - u) / n];
});
const meet = (p, q, least) => [...normals(p), ...normals(q)].every((n) => { // by more than `least` pixels in every direction
    const [a, b] = [span(p, n), span(q, n)];
    return Math.min(a[1], b[1]) - Math.max(a[0], b[0]) > least;
});

const paper = channels(getComputedStyle(document.body).backgroundColor);
const judgeFigure = (svg) => {
    const edge = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter((t) => t.textContent.trim()).map((t) => ({ t, q: quad(t), text: t.textContent }));
    for (const { q, text } of texts)
        if (q.some(([x, y]) => x < edge.left - 0.5 || x > edge.right + 0.5 || y < edge.top - 0.5 || y > edge.bottom + 0.5)) say("a text leaves its figure", text);
    for (let i = 0; i < texts.length; i++)
        for (let k = 0; k < i; k++)
            if (meet(texts[i].q, texts[k].q, 0.7)) say("two texts overlap", texts[k].text + " | " + texts[i].text);
    for (const path of svg.querySelectorAll("path[stroke][d]")) { // axes, ticks, curves and marks; not grids, nor frames around a text
        const colour = path.getAttribute("stroke").replace(/\s/g, ""), d = path.getAttribute("d");
        if (["none", "rgb(228,228,228)"].includes(colour) || /[zZ]/.test(d)) continue;
        const m = path.getScreenCTM(), axis = colour === "rgb(153,153,153)";
        for (const run of d.split("M").slice(1)) {
            const at = (run.match(/-?[\d.]+,-?[\d.]+/g) || []).map((p) => p.split(",").map(Number)).map(([x, y]) => [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f]);
            for (let i = 1; i < at.length; i++)
                for (const { q, text } of texts)
                    if (meet(q, [at[i - 1], at[i]], -0.001)) // a line has no width
                        say((axis ? "an axis" : "a line of " + colour) + " strikes a text through", text);
        }
    }
    const shapes = [...svg.querySelectorAll("rect, polygon, path, text")].map((el) => {
        const isText = el.tagName === "text", fill = getComputedStyle(el).fill;
        return { el, isText, fill: fill === "none" ? null : channels(fill), box: el.getBoundingClientRect() };
    });
    shapes.forEach((shape, place) => {
        if (!shape.isText || !shape.el.textContent.trim()) return;
        const x = (shape.box.left + shape.box.right) / 2, y = (shape.box.top + shape.box.bottom) / 2;
        let under = paper;
        for (const s of shapes.slice(0, place))
            if (!s.isText && s.fill && s.box.left <= x && x <= s.box.right && s.box.top <= y && y <= s.box.bottom) under = s.fill;
        if (contrast(shape.fill, under) < 3) say("a text of a figure is hard to read (contrast " + contrast(shape.fill, under).toFixed(1) + ")", shape.el.textContent);
    });
};

// ---- texts outside of figures
const judgeTexts = () => {
    const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), boxes = [];
    for (let node; (node = walk.nextNode());) {
        const parent = node.parentElement;
        if (!node.textContent.trim() || parent.closest("svg, script, style")) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        const inside = parent.closest(".scroll") && !parent.closest("caption"), colour = channels(getComputedStyle(parent).color);
        let under = null;
        for (let el = parent; el && !under; el = el.parentElement) under = channels(getComputedStyle(el).backgroundColor);
        if (contrast(colour, under || [255, 255, 255]) < 4.5) say("a text is hard to read", node.textContent);
        if (!parent.closest("td, tbody th") && /\d (%|[kMG]|[KMG]iB|B|[mnu\u00b5]?s)(?!\w)/.test(node.textContent)) say("a number can leave its unit", node.textContent);
        for (const r of range.getClientRects()) {
            if (r.width < 1) continue;
            boxes.push({ l: r.left + 0.5, r: r.right - 0.5, t: r.top + 0.22 * r.height, b: r.bottom - 0.22 * r.height, text: node.textContent });
            if (!inside && r.right > innerWidth + 0.5) say("a text leaves the page", node.textContent);
        }
    }
    boxes.sort((a, b) => a.t - b.t);
    for (let i = 0; i < boxes.length; i++)
        for (let k = i + 1; k < boxes.length && boxes[k].t < boxes[i].b; k++)
            if (boxes[i].l < boxes[k].r && boxes[k].l < boxes[i].r) say("two texts overlap", boxes[i].text + " | " + boxes[k].text);
};

for (const details of document.querySelectorAll("details")) details.open = true; // what is folded has boxes, but no place
const width = document.documentElement.scrollWidth;
if (width > innerWidth) say("the page is wider than its window", width + " pixels in " + innerWidth);
const figures = [...document.querySelectorAll("figure svg[role=img]")];
figures.forEach(judgeFigure);
judgeTexts();
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
if (dark !== luminance(paper) < 0.1) say("the ground does not follow the colour scheme", paper);
for (const svg of figures) { // its ground is its first rectangle
    const ground = channels(getComputedStyle(svg.querySelector("rect")).fill);
    if (ground.join() !== paper.join()) say("a figure's ground is not the page's", ground + " on " + paper);
}
parent.postMessage(["seen " + innerWidth + " " + (dark ? "dark" : "light") + " figures " + figures.length, ...found].join("\n"), "*");
