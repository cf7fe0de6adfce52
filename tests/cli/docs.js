// docs.js FOLDER QUERY WANT: runs the manual's search outside of a browser; exit 1 where no hit's address begins with WANT.
"use strict";
const fs = require("fs"), vm = require("vm"), [, , folder, query, want] = process.argv;
const node = () => ({ addEventListener() {}, removeAttribute() {}, querySelectorAll: () => [], replaceChildren() {}, append() {}, classList: { toggle() {} }, form: { addEventListener() {} } });
const page = { document: { ...node(), getElementById: node, querySelector: node, createElement: node }, window: { innerWidth: 1000 }, location: { search: "" }, URLSearchParams };
vm.createContext(page);
vm.runInContext(fs.readFileSync(folder + "/index.js", "utf8") + fs.readFileSync(folder + "/search.js", "utf8") + ";globalThis.search = search;", page);
const hits = page.search(query);
console.log(hits.map(h => h.u + "  " + h.t).join("\n"));
process.exit(hits.some(h => h.u.startsWith(want)) ? 0 : 1);
