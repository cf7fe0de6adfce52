"use strict";
// What a page can do where scripts run: points say their values, series go off and on, tables are sorted, a slider chooses the budget. The page is whole
// without it. It reads the page alone, and writes texts as texts.
(() => {
    const all = (from, what) => [...from.querySelectorAll(what)];
    const make = (name, set, ...inside) => {
        const made = document.createElement(name);
        for (const key in set) made.setAttribute(key, set[key]);
        made.append(...inside);
        return made;
    };
    const words = (node) => node.textContent.trim().replace(/\s+/g, " ");

    // ---- tables
    const units = { k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4, ns: 1e-9, us: 1e-6, ms: 1e-3, min: 60, h: 3600, d: 86400, uWh: 1e-6, mWh: 1e-3, kWh: 1e3, MWh: 1e6, GWh: 1e9 };
    const first = (cell) => words(document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode() ?? cell); // an interval stands below its value
    const value = (cell) => { // NaN for words
        const found = /^(?:[+<>]|[A-Z]{3} |[$€£¥])?(-?\d[\d,]*\.?\d*(?:e[+-]?\d+)?) ?([^\s]*)/.exec(first(cell));
        return found ? found[1].replace(/,/g, "") * (units[found[2]] || 1) : NaN;
    };
    const rank = (a, b, way) => { // cells without a number stand last
        const x = value(a), y = value(b);
        if (isNaN(x) && isNaN(y)) return way * words(a).localeCompare(words(b), "en");
        return isNaN(x) ? 1 : isNaN(y) ? -1 : way * (x - y);
    };
    const heads = (table) => [...table.tHead.rows[0].cells];
    const sort = (table, column, way) => { // way 1: ascending, -1: descending, 0: as it was
        for (const body of table.tBodies) {
            const rows = [...body.rows], out = [];
            let run = [];
            const flush = () => {
                out.push(...run.sort((a, b) => (way && rank(a.cells[column], b.cells[column], way)) || a.place - b.place));
                run = [];
            };
            rows.forEach((row, i) => (row.place = row.place ?? i));
            rows.forEach((row) => {
                if (row.cells.length === heads(table).length) return run.push(row);
                flush();
                out.push(row);
            });
            flush();
            body.append(...out);
        }
        heads(table).forEach((head, i) => (i === column && way ? head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending") : head.removeAttribute("aria-sort")));
    };
    const sortable = (table) => table.tHead && table.tHead.rows.length === 1 && table.tBodies.length && !table.querySelector("[rowspan], thead [colspan]");
    const tables = all(document, "table").filter(sortable);
    for (const table of tables) {
        if ([...table.tBodies].every((body) => body.rows.length < 3)) continue;
        heads(table).forEach((head, column) => {
            if (!words(head)) return;
            const button = make("button", { type: "button", class: "sort" }, ...head.childNodes);
            head.append(button);
            button.addEventListener("click", () => {
                const now = head.getAttribute("aria-sort");
                sort(table, column, now === "ascending" ? -1 : now ? 0 : 1);
            });
        });
    }

    // ---- a slider over the budgets of a section
    const budgets = new Set(all(document, "svg.over [data-at]").map((point) => point.dataset.at));
    for (const section of all(document, "section")) {
        const table = all(section, "table.grid").find((t) => tables.includes(t)), names = [""];
        for (const head of table ? heads(table).slice(1) : []) {
            const name = words((head.querySelector("button") || head).firstChild || head);
            if (!budgets.has(name)) break;
            names.push(name);
        }
        if (names.length < 3) continue;
        const budgetOf = (details) => words({ textContent: details.dataset.budget });
        const details = all(section, "[data-budget]"), open = details.find((d) => !d.hidden); // the page has these of one budget
        const stands = Math.max(1, open ? names.indexOf(budgetOf(open)) : Math.ceil((names.length - 1) / 2));
        const slider = make("input", { type: "range", min: 1, max: names.length - 1, value: stands, "aria-valuetext": names[stands] });
        const said = (at) => names[at].replaceAll(" ", "\u00a0"); // a number keeps its unit
        const shown = make("output", {}, said(stands));
        slider.addEventListener("input", () => {
            const at = +slider.value;
            shown.textContent = said(at);
            slider.setAttribute("aria-valuetext", names[at]);
            sort(table, at, 1);
            for (const row of table.rows) [...row.cells].forEach((cell, i) => cell.classList.toggle("at", i === at));
            for (const d of details) d.hidden = budgetOf(d) !== names[at];
            for (const point of all(section, "svg.over rect")) point.classList.toggle("at", point.dataset.at === names[at]);
            regions();
        });
        table.parentNode.before(make("p", { class: "tools" }, make("label", {}, "Budget ", slider, " ", shown)));
    }

    // ---- figures
    const tip = make("div", { class: "tip", "aria-hidden": "true", hidden: "" });
    const show = (point) => {
        const picture = point.ownerSVGElement.parentNode, box = point.getBoundingClientRect(), from = picture.getBoundingClientRect();
        tip.textContent = point.getAttribute("aria-label");
        picture.append(tip);
        tip.hidden = false;
        const most = from.width - tip.offsetWidth, left = (box.left + box.right) / 2 - from.left - tip.offsetWidth / 2;
        tip.style.left = Math.max(0, Math.min(most, left)) + "px";
        tip.style.top = Math.max(0, box.top - from.top - tip.offsetHeight - 4) + "px";
    };
    const hide = () => (tip.hidden = true);
    const seen = (group) => !group.classList.contains("gone");
    const step = (point, key) => { // the point that an arrow leads to
        const groups = all(point.ownerSVGElement, "g").filter(seen), group = point.parentNode;
        const mine = all(group, "rect"), at = mine.indexOf(point), up = groups.indexOf(group) + (key === "ArrowDown") - (key === "ArrowUp");
        if (key === "Home") return mine[0];
        if (key === "End") return mine[mine.length - 1];
        if (key === "ArrowRight" || key === "ArrowLeft") return mine[at + (key === "ArrowRight" ? 1 : -1)];
        const other = groups[up] && group !== groups[up] ? all(groups[up], "rect") : [];
        return other[Math.min(at, other.length - 1)];
    };
    const listen = (over) => {
        const points = all(over, "rect");
        for (const point of points) {
            point.setAttribute("aria-label", point.firstElementChild.textContent);
            point.setAttribute("role", "img");
            point.setAttribute("tabindex", -1);
            point.firstElementChild.remove();
        }
        points[0].setAttribute("tabindex", 0);
        over.addEventListener("pointerover", (e) => e.target.tagName === "rect" && show(e.target));
        over.addEventListener("pointerout", hide);
        over.addEventListener("focusin", (e) => {
            for (const point of points) point.setAttribute("tabindex", point === e.target ? 0 : -1);
            show(e.target);
        });
        over.addEventListener("focusout", hide);
        over.addEventListener("keydown", (e) => {
            if (e.key === "Escape") hide();
            if (!/^(Arrow|Home|End)/.test(e.key)) return;
            const to = step(e.target, e.key);
            if (to) to.focus();
            e.preventDefault();
        });
    };
    const channels = (text) => (text && /^rgb/.test(text) ? text.match(/\d+/g).join() : "");
    const colour = (group) => {
        const hex = group.style.getPropertyValue("--light").trim();
        return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)).join();
    };
    const switches = (over) => { // a button per series, which is known in the picture by its colour
        const picture = over.previousElementSibling, groups = all(over, "g"), series = new Map();
        for (const group of groups) {
            const known = series.get(colour(group)) || { names: new Set(), groups: [] };
            known.names.add(group.getAttribute("aria-label"));
            known.groups.push(group);
            series.set(colour(group), known);
        }
        if (series.size < 2) return;
        const tools = make("div", { class: "tools", role: "group", "aria-label": "Series of the figure" });
        for (const [rgb, { names, groups }] of series) {
            const key = make("i", { class: "key" });
            for (const name of ["--light", "--dark"]) key.style.setProperty(name, groups[0].style.getPropertyValue(name));
            const button = make("button", { type: "button", "aria-pressed": "true" }, key, [...names].join(", "));
            button.addEventListener("click", () => {
                const off = button.getAttribute("aria-pressed") === "true";
                button.setAttribute("aria-pressed", String(!off));
                for (const group of groups) group.classList.toggle("gone", off);
                for (const drawn of all(picture, "[stroke], [fill], [color]"))
                    if (["stroke", "fill", "color"].some((name) => channels(drawn.getAttribute(name)) === rgb)) drawn.classList.toggle("gone", off);
                const first = groups.length && all(over, "g").find(seen);
                all(over, "rect").forEach((point) => point.setAttribute("tabindex", first && point === first.firstElementChild ? 0 : -1));
            });
            tools.append(button);
        }
        over.closest("figure").insertBefore(tools, over.closest("figure").querySelector("figcaption"));
    };
    for (const over of all(document, "svg.over")) {
        listen(over);
        switches(over);
    }

    // ---- what is wider than the window is scrolled by keys, too
    const regions = () => {
        for (const part of all(document, ".scroll")) {
            const name = part.querySelector("caption") || part.querySelector("svg");
            if (part.scrollWidth > part.clientWidth) {
                part.setAttribute("tabindex", 0);
                part.setAttribute("role", "group");
                if (name) part.setAttribute("aria-label", name.getAttribute("aria-label") || words(name));
            } else for (const attribute of ["tabindex", "role", "aria-label"]) part.removeAttribute(attribute);
        }
    };
    addEventListener("resize", regions);
    regions();
})();
