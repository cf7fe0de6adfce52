// Uses a page as a reader does, by its own script. pages.sh puts it at the end of a copy of the page; what is wrong stands in #acts afterwards, behind a
// line that counts what was there to be used.
"use strict";
addEventListener("load", () => {
    const wrong = [], all = (what, from = document) => [...from.querySelectorAll(what)];
    const must = (holds, what) => holds || wrong.push(what);
    const seen = { points: 0, series: 0, sorted: 0, units: 0, sliders: 0 };
    const scale = { "": 1, "%": 1, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, d: 86400, mWh: 1e-3, Wh: 1, kWh: 1e3, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
    const measure = (cell) => { // [value, unit] of what stands first in a cell; null for anything else
        const found = /^[+]?\$?(-?[\d,.]+(?:e-\d+)?) ?(\S*)$/.exec([...cell.childNodes].map((n) => n.textContent.trim()).find((t) => t) || "");
        return found && found[2] in scale ? [found[1].replaceAll(",", "") * scale[found[2]], found[2]] : null;
    };
    try {
        for (const over of all("svg.over")) {
            const points = all("rect", over), stops = points.filter((p) => p.tabIndex === 0), picture = over.getBoundingClientRect();
            must(stops.length === 1, stops.length + " points of a figure are tab stops");
            for (const p of points) {
                const box = p.getBoundingClientRect();
                must(p.getAttribute("aria-label").trim() && p.getAttribute("role") === "img", "a point without a text");
                must(box.left >= picture.left - 1 && box.right <= picture.right + 1 && box.top >= picture.top - 8 && box.bottom <= picture.bottom + 1, "a point outside: " + p.getAttribute("aria-label"));
            }
            stops[0].dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
            must(!document.querySelector(".tip").hidden && document.querySelector(".tip").textContent === stops[0].getAttribute("aria-label"), "focus shows no value");
            stops[0].dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
            must(document.querySelector(".tip").hidden, "the value stays when focus goes");
            const at = points[points.length - 1];
            at.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
            must(document.querySelector(".tip").textContent === at.getAttribute("aria-label"), "hover shows no value");
            const tip = document.querySelector(".tip").getBoundingClientRect();
            must(tip.left >= picture.left - 1 && tip.right <= picture.right + 1, "the value leaves its figure");
            at.dispatchEvent(new PointerEvent("pointerout", { bubbles: true }));
            const group = points[0].parentNode;
            if (all("rect", group).length > 1) {
                points[0].focus();
                points[0].dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
                must(document.activeElement === all("rect", group)[1], "the right arrow leads to no neighbour");
            }
            seen.points += points.length;
        }
        for (const button of all("figure .tools button")) {
            const figure = button.closest("figure"), gone = () => all(".gone", figure.querySelector("svg")).length + "," + all("g.gone", figure.querySelector("svg.over")).length;
            must(gone() === "0,0", "something is hidden at first: " + gone());
            button.click();
            must(button.getAttribute("aria-pressed") === "false" && !/^0|,0$/.test(gone()), "the switch of " + button.textContent + " hides nothing: " + gone());
            button.click();
            must(button.getAttribute("aria-pressed") === "true" && gone() === "0,0", "the switch of " + button.textContent + " brings nothing back");
            seen.series++;
        }
        for (const table of all("table")) {
            const column = (i) => all("tbody", table).map((b) => [...b.rows].filter((r) => r.cells.length > i).map((r) => r.cells[i].textContent));
            all(".sort", table).forEach((button) => {
                const head = button.closest("th"), i = head.cellIndex, first = column(i), lines = column(0);
                button.click();
                must(head.getAttribute("aria-sort") === "ascending", "a column is not sorted");
                const bodies = all("tbody", table).map((b) => [...b.rows].filter((r) => r.cells.length > i).map((r) => measure(r.cells[i])));
                if (!all(".family", table).length && bodies.every((b) => b.every((v) => v))) {
                    must(bodies.every((b) => b.every((v, k) => !k || b[k - 1][0] <= v[0])), "not ascending: " + JSON.stringify(bodies));
                    seen.units += bodies.some((b) => new Set(b.map((v) => v[1])).size > 1);
                }
                button.click();
                must(head.getAttribute("aria-sort") === "descending", "a column is not sorted downwards");
                button.click();
                must(!head.hasAttribute("aria-sort") && JSON.stringify(column(i)) === JSON.stringify(first) && JSON.stringify(column(0)) === JSON.stringify(lines), "the order does not come back");
                seen.sorted++;
            });
        }
        for (const slider of all("input[type=range]")) {
            const shown = () => slider.parentNode.querySelector("output").textContent.replace(/\s/g, " ");
            const stood = all("[data-budget]", slider.closest("section")).find((d) => !d.hidden);
            must(slider.getAttribute("aria-valuetext") === shown() && (!stood || stood.dataset.budget.replace(/\s/g, " ") === shown()), "the slider does not say where it stands");
            slider.value = slider.max;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            must(slider.getAttribute("aria-valuetext") === shown() && shown(), "the slider says no budget");
            must(all("td.at", slider.closest("section")).length > 1, "the slider marks no column");
            const details = all("[data-budget]", slider.closest("section")), open = details.filter((d) => !d.hidden);
            must(!details.length || (open.length === 1 && open[0].getBoundingClientRect().height > 0 && open[0].querySelector("caption").textContent.replace(/\s/g, " ").includes("budget of " + shown())), "the slider shows no details of " + shown());
            const points = all("svg.over rect", slider.closest("section"));
            must(!points.some((p) => p.dataset.at) || points.filter((p) => p.classList.contains("at")).length > 1, "the slider marks no points at " + shown());
            seen.sliders++;
        }
    } catch (e) {
        wrong.push(e.stack);
    }
    const out = document.createElement("pre");
    out.id = "acts";
    out.textContent = ["used " + JSON.stringify(seen), ...new Set(wrong)].join("\n");
    document.body.append(out);
});
