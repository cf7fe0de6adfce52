// search.js - the search box: words that begin so, all of them, headings before text. Works from file://.
"use strict";
const box = document.getElementById("search"), found = document.getElementById("found");
const lower = INDEX.map(s => ({ title: (s.t + " " + s.p).toLowerCase(), text: s.x.toLowerCase(),
    names: s.t.toLowerCase().split(/[\s,]+/).map(w => w.replace(/^-+/, "")) }));
let chosen = -1;

// What people ask for that an option has another name for: option names, and what they are asked by, apart by commas.
const ASKED = [
    ["cache-type feature-type", "fp16,f16,half,half precision,float16,bf16,bfloat16,fp8,int8,quantization,quantized"],
    ["memory", "ram,ram limit,memory limit,limit memory,max memory,maximum memory"],
    ["budget", "cache size,cache ratio,gpu cache size"],
    ["fanout", "neighbors,num neighbors,neighbours"],
    ["threads", "workers,num workers,cpus"],
    ["presample-epochs", "presampling,pre sampling"],
];
const options = new Map();               // name: its sections
INDEX.forEach((s, n) => {
    const name = s.t.startsWith("-") && s.u.split("#")[1];
    if (name) options.set(name, [...options.get(name) || [], n]);
});

const common = n => INDEX[n].u.startsWith("commands.html") ? 2 : INDEX[n].u.startsWith("command-plan.html") ? 1 : 0;

function optionsOf(query) {              // the sections of an option that is asked for by its name or another, a few of each
    const asked = query.toLowerCase().trim().replace(/^-+/, "").replace(/[\s-]+/g, " ");
    const names = ASKED.filter(([, words]) => words.split(",").includes(asked)).flatMap(([names]) => names.split(" "));
    return [asked.replace(/ /g, "-"), ...names].flatMap(name => (options.get(name) || []).sort((a, b) => common(b) - common(a)).slice(0, 3));
}

const has = (text, word) => {            // where `word` begins a word of text, or -1
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
        if (at === 0 || !/[a-z0-9]/.test(text[at - 1])) return at;
    return -1;
};

function search(query) {
    const words = query.toLowerCase().split(/\s+/).map(w => w.replace(/^-+/, "")).filter(w => w);
    if (!words.length) return [];
    const hits = [], first = optionsOf(query);
    lower.forEach((s, n) => {
        let score = s.text || !INDEX[n].p ? 0 : -15; // of a part that is a heading alone
        if (first.includes(n)) {
            hits.push({ n, score: 1000 - first.indexOf(n) });
            return;
        }
        for (const w of words) {
            const title = has(s.title, w), text = has(s.text, w);
            if (title < 0 && text < 0) return;
            if (lower[n].names.includes(w)) score += 10;
            score += title >= 0 ? 20 - Math.min(10, s.title.length / 10) + (has(INDEX[n].t.toLowerCase(), w) === 0 ? 5 : 0) : 1;
        }
        hits.push({ n, score });
    });
    return hits.sort((a, b) => b.score - a.score || a.n - b.n).slice(0, 12).map(h => ({ ...INDEX[h.n], words }));
}

function excerpt(text, words) {
    const at = Math.max(0, ...words.map(w => has(text.toLowerCase(), w)));
    const from = Math.max(0, at - 50);
    return (from ? ".. " : "") + text.slice(from, from + 150);
}

function show(hits, query) {
    found.replaceChildren(...hits.map(h => {
        const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
        link.href = h.u;
        link.textContent = h.t + (h.p ? " - " + h.p : "");
        text.textContent = excerpt(h.x, h.words);
        link.append(text);
        item.append(link);
        return item;
    }));
    if (!hits.length && query.trim()) found.append(Object.assign(document.createElement("li"), { textContent: "Nothing found." }));
    found.hidden = !query.trim();
    choose(hits.length ? 0 : -1);
}

function choose(n) {
    const links = found.querySelectorAll("a");
    links.forEach((l, k) => l.classList.toggle("chosen", k === n));
    if (links[n]) links[n].scrollIntoView({ block: "nearest" });
    chosen = n;
}

box.addEventListener("input", () => show(search(box.value), box.value));
box.form.addEventListener("submit", e => e.preventDefault());
document.addEventListener("keydown", e => {
    const links = found.querySelectorAll("a");
    if (e.key === "/" && document.activeElement !== box && !e.ctrlKey && !e.metaKey) { e.preventDefault(); box.focus(); box.select(); }
    if (document.activeElement !== box) return;
    if (e.key === "Escape") { box.value = ""; show([], ""); box.blur(); }
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
        e.preventDefault();
        if (links.length) choose((chosen + (e.key === "ArrowDown" ? 1 : links.length - 1)) % links.length);
    }
    if (e.key === "Enter" && links[chosen]) { location.href = links[chosen].href; show([], ""); }
});
const asked = new URLSearchParams(location.search).get("q"); // index.html?q=budget
if (asked) { box.value = asked; show(search(asked), asked); }
found.addEventListener("click", () => show([], ""));
if (window.innerWidth < 800) document.querySelector("nav .menu").removeAttribute("open");
