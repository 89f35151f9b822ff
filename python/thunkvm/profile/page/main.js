// The page: its tabs, which function it shows, and dark or light.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);

const main = {
  f: null,
  tab: "overview",
  stale: new Set(),

  start() {
    main.sections = [...document.querySelectorAll("main > section")];
    for (const section of main.sections) {
      document.getElementById("tabs").append(element("button", {
        type: "button", role: "tab", id: `tab-${section.id}`, onclick: () => main.open(section.id),
      }, section.dataset.title));
    }
    const select = document.getElementById("function");
    data.functions.forEach((f, number) => select.append(element("option", { value: number }, f.mode ? `${f.name} (${f.mode})` : f.name)));
    select.addEventListener("change", () => main.choose(data.functions[select.value]));
    main.stale.add("timeline");
    select.classList.toggle("alone", data.functions.length < 2);
    document.getElementById("theme").addEventListener("click", main.toggleTheme);
    document.getElementById("fold-all").addEventListener("click", () => { graph.foldAll(); graph.draw(); graph.fit(); });
    document.getElementById("fit").addEventListener("click", () => graph.fit());
    document.addEventListener("keydown", main.key);
    window.addEventListener("resize", () => { main.stale.add("timeline"); main.open(main.tab); });
    if (!data.functions.length) {
      document.getElementById("notes").textContent = "no function was called";
      return;
    }
    main.choose(data.functions[0]);
  },

  key(event) {
    if (event.key === "Escape") details.hide();
    if (event.key === "Enter" && event.target.closest("#drawing")) event.target.dispatchEvent(new Event("click"));
  },

  // Show a function, as if it were chosen above.
  select(number) {
    if (main.f === data.functions[number]) return;
    document.getElementById("function").value = number;
    main.choose(data.functions[number]);
  },

  choose(f) {
    main.f = f;
    // All functions have one timeline, which stays where it is.
    for (const { id } of main.sections) if (id !== "timeline") main.stale.add(id);
    details.hide();
    graph.set(f);
    main.open(main.tab);
  },

  open(id) {
    main.tab = id;
    for (const section of main.sections) {
      section.hidden = section.id !== id;
      document.getElementById(`tab-${section.id}`).setAttribute("aria-selected", String(section.id === id));
    }
    if (!main.stale.delete(id)) return;
    const views = {
      overview: main.overview, graph: () => graph.draw(), branches: branches.show, timeline: timeline.show, source: source.show,
    };
    if (views[id]) views[id](main.f);
    else tables.show(main.f, id);
  },

  overview(f) {
    document.getElementById("notes").textContent = f.notes.map(format.note).join(" ");
    const figure = (value, what, section) => element("button", { type: "button", class: "figure", onclick: () => main.open(section) },
      element("b", {}, value), element("span", {}, what));
    const figures = [figure(f.nCalls.toLocaleString("en"), f.nCalls === 1 ? "call" : "calls", "calls")];
    if (data.kind !== "count") figures.push(figure(format.seconds(f.time), "in calls", "timeline"), figure(format.seconds(f.nodeTime), "in nodes", "nodes"));
    figures.push(figure(`${f.nodes.length - f.neverRan} of ${f.nodes.length}`, "nodes ran", "graph"));
    if (f.conditions.length) {
      figures.push(figure(String(f.conditions.length), f.conditions.length === 1 ? "branch" : "branches", "branches"));
      if (data.kind !== "count") figures.push(figure(format.seconds(f.saved), f.unknown ? `saved, and unknown in ${format.count(f.unknown, "branch").replace(/hs$/, "hes")}` : "saved by laziness", "branches"));
    }
    document.getElementById("figures").replaceChildren(...figures);
    main.top(f);
    document.getElementById("laziness").replaceChildren(...f.laziness.flatMap(([what, rest]) =>
      [element("dt", {}, what), element("dd", {}, format.note(rest))]));
    const rows = f.overheads.map(([name, time, what]) => [name, format.seconds(time), what, !time]);
    rows.push(["cache hits", String(f.cacheHits), "modules that needed no compiler", !f.cacheHits]);
    document.getElementById("overheads").replaceChildren(...rows.map(([name, value, what, none]) =>
      element("tr", { class: none ? "never" : "" }, element("td", {}, name), element("td", { class: "number" }, value), element("td", { class: "hint" }, what))));
  },

  // The nodes that took most; where times were not recorded, those that ran most.
  top(f) {
    const by = data.kind === "count" ? "runs" : "self_time";
    const most = [...f.nodes].sort((a, b) => b[by] - a[by]).slice(0, 10).filter((node) => node[by]);
    const whole = by === "runs" ? d3.max(f.nodes, (node) => node.runs) : f.nodeTime;
    document.getElementById("top").replaceChildren(element("table", { class: "plain" }, ...most.map((node) => element("tr", {},
      element("td", {}, details.nodeLink(f, node.index)),
      element("td", {}, shareBar(node[by] / whole, by === "runs" ? String(node.runs) : `${format.percent(node.share)}`)),
      element("td", { class: "hint" }, node.region),
      element("td", {}, node.location ? link(node.location, () => source.open(f, node.file, node.line), node.file) : ""),
      element("td", { class: "hint" }, by === "runs" ? "" : node.standout)))));
  },

  toggleTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    main.stale.add("timeline");
    main.open(main.tab);
  },
};

main.start();
