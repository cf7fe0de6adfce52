// docs.js FOLDER QUERY WANT [MOST]: runs the manual's search outside of a browser; exit 1 where none of the first MOST hits' addresses begins with WANT.
"use strict";
const fs = require("fs"), vm = require("vm"), [, , folder, query, want, most] = process.argv;
const node = () => ({ addEventListener() {}, removeAttribute() {}, querySelectorAll: () => [], replaceChildren() {}, append() {}, classList: { toggle() {} }, form: { addEventListener() {} } });
const page = { document: { ...node(), getElementById: node, querySelector: node, createElement: node }, window: { innerWidth: 1000 }, location: { search: "" }, URLSearchParams };
vm.createContext(page);
vm.runInContext(fs.readFileSync(folder + "/index.js", "utf8") + fs.readFileSync(folder + "/search.js", "utf8") + ";globalThis.search = search;", page);
const hits = page.search(query);
console.log(hits.map(h => h.u + "  " + h.t).join("\n"));
process.exit(hits.slice(0, most || hits.length).some(h => h.u.startsWith(want)) ? 0 : 1);
