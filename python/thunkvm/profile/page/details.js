// What is known of one node, beside whatever it was chosen in.
"use strict";

const details = {
  show(f, index) {
    const node = f.nodes[index];
    const box = document.getElementById("details");
    const row = (name, value) => [element("dt", {}, name), element("dd", {}, value)];
    const inputs = node.inputs.map((i) => (typeof i === "number" ? details.nodeLink(f, i) : i));
    const readers = f.nodes.filter((other) => other.inputs.includes(index));
    const rows = [
      ...row("Op", `${node.op}${node.op_class ? ` (${node.op_class})` : ""}`),
      ...row("computes", node.type || "?"),
      ...row("runs", details.runs(node)),
      ...(node.counted ? row("counted as", node.counted) : []),
      ...row("region", node.region),
      ...row("run as", node.form || "?"),
      ...row("self time", `${format.seconds(node.self_time)} (${format.percent(node.share)})`),
      ...(node.standout ? row("", node.standout) : []),
      ...(node.total_time > node.self_time ? row("with inputs", format.seconds(node.total_time)) : []),
      ...row("a run", format.seconds(node.mean)),
      ...(node.min === null ? [] : row("min, p95, max", [node.min, node.p95, node.max].map(format.seconds).join(", "))),
      ...(node.first === null ? [] : row("first run", format.seconds(node.first))),
      ...(node.bytes_allocated ? row("allocated", `${format.bytes(node.bytes_allocated)}, peak ${format.bytes(node.peak_bytes)}`) : []),
      ...(node.copies ? row("copies", `${node.copies}, ${node.lazy_copies} of them for laziness's sake`) : []),
      ...(node.gflops === null ? [] : row("speed", `${format.digits(node.gflops)} GFLOP/s`)),
      ...(node.gb_per_second === null ? [] : row("memory", `${format.digits(node.gb_per_second)} GB/s`)),
      ...(node.first_demanded_by === null ? [] : row("first demanded by", details.nodeLink(f, node.first_demanded_by))),
    ];
    const made = node.location ? link(node.location, () => source.open(f, node.file, node.line), node.file) : "unknown";
    box.replaceChildren(
      element("button", { class: "close", type: "button", title: "close", onclick: () => details.hide() }, "\u00d7"),
      element("h2", {}, node.name),
      element("p", {}, link("in the graph", () => graph.open(f, index)), " made at ", made),
      element("dl", {}, ...rows),
      element("h3", {}, "reads"),
      details.list(inputs),
      element("h3", {}, "is read by"),
      details.list(readers.map((other) => details.nodeLink(f, other.index))),
    );
    box.hidden = false;
    box.dataset.node = index;
  },
  hide() {
    document.getElementById("details").hidden = true;
  },
  nodeLink(f, index) {
    return link(f.nodes[index].name, () => details.show(f, index));
  },
  list(items) {
    if (!items.length) return element("p", { class: "hint" }, "nothing");
    const shown = items.slice(0, 30).map((item) => element("li", {}, item));
    if (items.length > 30) shown.push(element("li", { class: "hint" }, `and ${items.length - 30} more`));
    return element("ul", {}, ...shown);
  },
  runs(node) {
    if (!node.runs && !node.entered) return "never";
    const other = ["suspended", "failed"].filter((what) => node[what]).map((what) => `${what} ${node[what]}`);
    return [`${node.runs}`, ...other].join(", ");
  },
};
