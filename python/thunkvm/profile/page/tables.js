// The tables, by Tabulator: rows are made as they scroll into view, so ten thousand are no burden.
"use strict";

const tables = {
  // So many rows are shown whole.
  SHORT: 15,

  made: new Map(),

  // A table is made when its tab is first seen: it cannot measure what is hidden.
  show(f, section) {
    const makers = {
      nodes: () => tables.nodes(f),
      sums: () => tables.sums(f),
      calls: () => tables.calls(f),
    };
    if (!makers[section] || tables.made.get(section) === f) return;
    tables.made.set(section, f);
    makers[section]();
  },

  make(id, columns, data, options) {
    const holder = document.getElementById(id);
    const old = Tabulator.findTable(holder);
    if (old && old.length) old[0].destroy();
    // A table that sizes itself up to a limit never ends where its rows are about as high as that:
    // the scroll bar that comes makes it lower, and goes again. So long ones have a height.
    const { upTo, ...others } = options;
    const height = data.length > tables.SHORT ? { height: upTo } : {};
    return new Tabulator(holder, {
      data, columns, layout: "fitDataStretch", columnDefaults: { headerSortTristate: false, resizable: true },
      placeholder: "nothing was recorded", ...height, ...others,
    });
  },

  number(title, field, show, extra) {
    const formatter = (cell) => show(cell.getValue(), cell.getRow().getData());
    return { title, field, hozAlign: "right", headerHozAlign: "right", sorter: "number", headerSortStartingDir: "desc", formatter, ...extra };
  },

  // The time of a node, with a mark where one run took most of it.
  marked(time, node) {
    return node.standout ? element("span", { class: "standout", title: node.standout }, format.seconds(time)) : format.seconds(time);
  },

  known(time) {
    return time === null ? "" : format.seconds(time);
  },

  // A column that is there only where it says something.
  where(condition, column) {
    return condition ? [column] : [];
  },

  text(title, field, extra) {
    // textContent, not HTML: names are the user's
    const formatter = (cell) => element("span", { title: cell.getValue() || "" }, cell.getValue() || "");
    return { title, field, sorter: "string", formatter, ...extra };
  },

  share(field = "share") {
    const formatter = (cell) => shareBar(cell.getValue(), format.percent(cell.getValue()));
    return { title: "time", field, sorter: "number", headerSortStartingDir: "desc", formatter, width: 130 };
  },

  nodes(f) {
    const columns = [
      tables.text("node", "name", { frozen: window.innerWidth > 700, minWidth: 110 }),
      tables.share(),
      tables.number("self", "self_time", tables.marked),
      tables.number("a run", "mean", format.seconds),
      ...tables.where(f.nodes.some((node) => node.p95 !== null), tables.number("p95", "p95", tables.known)),
      ...tables.where(f.nodes.some((node) => node.max !== null), tables.number("max", "max", tables.known)),
      tables.number("runs", "runs", String),
      ...tables.where(f.nodes.some((node) => node.counted), tables.text("counted as", "counted")),
      tables.text("region", "region", { maxWidth: 280 }),
      tables.text("made at", "location"),
      tables.text("run as", "form"),
      tables.text("by", "language"),
      tables.number("with inputs", "total_time", format.seconds),
      ...tables.where(data.kind === "memory", tables.number("allocated", "bytes_allocated", format.bytes)),
      ...tables.where(f.nodes.some((node) => node.gflops !== null), tables.number("GFLOP/s", "gflops", format.digits)),
      ...tables.where(f.nodes.some((node) => node.gb_per_second !== null), tables.number("GB/s", "gb_per_second", format.digits)),
      tables.text("type", "type"),
      tables.text("source", "source", { maxWidth: 420 }),
    ];
    const table = tables.make("node-table", columns, f.nodes, {
      index: "index", upTo: "calc(100vh - 190px)",
      initialSort: [{ column: data.kind === "count" ? "runs" : "share", dir: "desc" }],
      rowFormatter(row) {
        row.getElement().classList.toggle("never", !row.getData().runs && !row.getData().entered);
      },
    });
    table.on("rowClick", (event, row) => details.show(f, row.getData().index));
    table.on("dataFiltered", (filters, rows) => {
      document.getElementById("found").textContent = filters.length
        ? `${rows.length} of ${format.count(f.nodes.length, "node")}` : format.count(f.nodes.length, "node");
    });
    tables.search(table);
  },

  search(table) {
    const input = document.getElementById("search");
    input.value = "";
    input.oninput = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const fields = ["name", "op", "op_class", "region", "location", "form", "type", "source", "counted"];
      if (!words.length) return table.clearFilter();
      return table.setFilter((row) => {
        const text = fields.map((field) => row[field]).join(" ").toLowerCase();
        return words.every((word) => text.includes(word));
      });
    };
  },

  sums(f) {
    const columns = (what, extra = []) => [
      tables.text(what, "name", { minWidth: 120 }),
      tables.share("part"),
      tables.number("sum", "sum", format.percent),
      tables.number("self", "time", format.seconds),
      tables.number("a run", "time_per_run", format.seconds),
      tables.number("runs", "runs", String),
      tables.number("nodes", "count", String),
      tables.text("by", "type"),
      ...extra,
    ];
    const options = { upTo: "60vh", initialSort: [{ column: "part", dir: "desc" }] };
    tables.make("op-table", columns("Op"), f.ops, options);
    tables.make("class-table", columns("class"), f.classes, options);
    const lines = tables.make("line-table", columns("line", [tables.text("source", "source", { minWidth: 260 })]), f.lines, options);
    lines.on("rowClick", (event, row) => source.open(f, row.getData().file, row.getData().line));
  },

  calls(f) {
    const columns = [
      tables.number("call", "index", String),
      tables.number("thread", "thread", String),
      tables.number("start", "start", format.seconds),
      tables.number("time", "time", format.seconds),
      ...tables.where(data.kind === "memory", tables.number("allocated", "bytes", format.bytes)),
      tables.text("arms", "arms", { formatter: (cell) => element("span", {}, cell.getValue().join(", ")) }),
    ];
    tables.make("call-table", columns, f.calls, { upTo: "calc(100vh - 150px)" });
  },
};
