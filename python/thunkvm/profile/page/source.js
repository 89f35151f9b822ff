// The user's source, with what each line took beside it.
"use strict";

const source = {
  show(f) {
    const files = document.getElementById("files");
    if (!f.files.length) {
      files.replaceChildren(element("p", { class: "hint" }, "no line of a file was recorded"));
      return;
    }
    const sums = new Map();
    for (const node of f.nodes) {
      const key = `${node.file}:${node.line}`;
      const sum = sums.get(key) || { time: 0, runs: 0, nodes: 0, ran: 0 };
      sum.time += node.self_time;
      sum.runs += node.runs;
      sum.nodes += 1;
      sum.ran += node.runs || node.entered ? 1 : 0;
      sums.set(key, sum);
    }
    files.replaceChildren(...f.files.map((file) => source.file(f, file, sums)));
  },

  file(f, file, sums) {
    const rows = file.lines.map(([number, text], position) => {
      const sum = sums.get(`${file.name}:${number}`);
      const gap = position > 0 && file.lines[position - 1][0] < number - 1;
      const row = element("tr", { id: source.id(f, file.name, number), class: gap ? "gap" : "" },
        element("td", { class: "number" }, String(number)),
        element("td", {}, sum && sum.time ? shareBar(sum.time / f.nodeTime, format.seconds(sum.time)) : ""),
        element("td", { class: "number" }, sum ? source.runs(sum) : ""),
        element("td", {}, element("code", {}, text)));
      if (sum) {
        row.classList.add(sum.ran ? "made" : "never");
        row.title = `${format.count(sum.nodes, "node")}: show them`;
        row.addEventListener("click", () => source.nodes(file.name, number));
      }
      return row;
    });
    const head = element("tr", {}, ...["line", "time", "runs", "source"].map((text) => element("th", {}, text)));
    return element("article", {}, element("h3", {}, file.name),
      element("div", { class: "scroll" }, element("table", { class: "source" }, head, ...rows)));
  },

  runs(sum) {
    return sum.ran ? sum.runs.toLocaleString("en") : "never";
  },

  id(f, file, line) {
    return `line-${f.files.findIndex((other) => other.name === file)}-${line}`;
  },

  open(f, file, line) {
    main.open("source");
    const row = document.getElementById(source.id(f, file, line));
    if (!row) return;
    document.querySelectorAll("tr.marked").forEach((other) => other.classList.remove("marked"));
    row.classList.add("marked");
    row.scrollIntoView({ block: "center" });
  },

  // Shows the nodes that a line made.
  nodes(file, line) {
    main.open("nodes");
    const input = document.getElementById("search");
    input.value = `${file.split("/").pop()}:${line}`;
    input.dispatchEvent(new Event("input"));
  },
};
