// Runs axe-core, which stands in the page before it; what it finds stands in #acts afterwards, behind a line that says what passed.
"use strict";
addEventListener("load", async () => {
    const found = await axe.run(document), out = document.createElement("pre");
    out.id = "acts";
    out.textContent = ["axe-core " + axe.version + ": " + found.passes.length + " rules hold",
        ...found.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.map((n) => n.html.slice(0, 120)).join(" | "))].join("\n");
    document.body.append(out);
});
