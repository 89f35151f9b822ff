// The graph: boxes that fold, laid out by dagre, drawn and moved by D3.
"use strict";

const graph = {
  TITLE: 24, PAD: 14, HEIGHT: 42, FIRST: 60,
  f: null,

  // Takes a function: indexes its boxes, its edges by the box that they lie in, and opens what fits.
  set(f) {
    graph.f = f;
    graph.boxes = new Map(f.boxes.map((box) => [box.id, box]));
    graph.home = new Map();
    graph.unfolded = new Set();
    graph.marked = null;
    if (!f.tree) graph.link(f);
    f.boxes.forEach((box) => box.nodes.forEach((index) => graph.home.set(index, box)));
    graph.indexEdges();
    graph.foldAll();
    graph.drawn = false;
  },

  // Makes the list of a function's boxes, in which each has the ids of those inside, a tree.
  link(f) {
    for (const box of f.boxes) {
      box.inside = box.inside.map((id) => graph.boxes.get(id));
      box.inside.forEach((inner) => { inner.parent = box; });
    }
    [f.tree] = f.boxes;
  },

  chain(index) {
    const boxes = [`n${index}`];
    for (let box = graph.home.get(index); box; box = box.parent) boxes.push(box.id);
    return boxes.reverse();
  },

  indexEdges() {
    graph.edges = new Map([...graph.boxes.keys()].map((id) => [id, new Map()]));
    for (const node of graph.f.nodes) {
      const end = graph.chain(node.index);
      for (const read of node.inputs) {
        if (typeof read !== "number") continue;
        const start = graph.chain(read);
        let level = 0;
        while (start[level + 1] === end[level + 1]) level += 1;
        const [v, w] = [start[level + 1], end[level + 1]];
        const edges = graph.edges.get(start[level]);
        const known = edges.get(`${v} ${w}`) || { v, w, count: 0 };
        known.count += 1;
        edges.set(`${v} ${w}`, known);
      }
    }
  },

  // Only the root and, breadth first, what still fits a screen is open.
  foldAll() {
    graph.unfolded = new Set([graph.f.tree.id]);
    let seen = graph.f.tree.nodes.length + graph.f.tree.inside.length;
    const waiting = [...graph.f.tree.inside];
    while (waiting.length) {
      const box = waiting.shift();
      seen += box.nodes.length + box.inside.length;
      if (seen > graph.FIRST) break;
      graph.unfolded.add(box.id);
      waiting.push(...box.inside);
    }
  },

  toggle(id) {
    if (graph.unfolded.has(id)) graph.unfolded.delete(id);
    else graph.unfolded.add(id);
    graph.draw();
  },

  reveal(box) {
    for (let around = box; around; around = around.parent) graph.unfolded.add(around.id);
  },

  open(f, index) {
    main.open("graph");
    graph.reveal(graph.home.get(index));
    graph.marked = `n${index}`;
    graph.draw();
    graph.look(graph.marked);
    details.show(f, index);
  },

  openArm(f, condition, arm) {
    const box = [...graph.boxes.values()].find((b) => b.condition === condition && b.arm === arm);
    main.open("graph");
    graph.reveal(box);
    graph.marked = box.id;
    graph.draw();
    graph.look(box.id);
  },

  // Lays out what is in an open box; its size has room for a title.
  layout(box) {
    const items = [
      ...box.nodes.map((index) => ({ v: `n${index}`, index, width: graph.nodeWidth(graph.f.nodes[index]), height: graph.HEIGHT })),
      ...box.inside.map((inner) => {
        const open = graph.unfolded.has(inner.id);
        const size = open ? graph.layout(inner) : { width: graph.foldedWidth(inner), height: graph.HEIGHT + 8 };
        return { ...size, v: inner.id, box: inner, open };
      }),
    ];
    const edges = [...graph.edges.get(box.id).values()].filter((e) => e.v !== e.w).map((e) => ({ ...e }));
    if (items.length) dagre.layout(items, edges, { nodesep: 22, edgesep: 10, ranksep: 34, rankdir: "tb" }, {});
    const right = Math.max(0, ...items.map((item) => item.x + item.width / 2), ...edges.flatMap((e) => e.points.map((p) => p.x)));
    const bottom = Math.max(0, ...items.map((item) => item.y + item.height / 2));
    const title = graph.textWidth(graph.title(box)) + 44;
    return { items, edges, width: Math.max(right + 2 * graph.PAD, title), height: bottom + graph.TITLE + 2 * graph.PAD };
  },

  textWidth(text) {
    return 7.6 * text.length;
  },

  foldedSub(box) {
    return `${format.count(box.count, "node")} \u00b7 ${box.ran ? format.seconds(box.time) : "never ran"}`;
  },

  foldedWidth(box) {
    return Math.max(graph.textWidth(graph.title(box)), graph.textWidth(graph.foldedSub(box))) + 44;
  },

  nodeWidth(node) {
    return Math.max(graph.textWidth(graph.short(node.name, 26)), graph.textWidth(graph.sub(node))) + 20;
  },

  short(text, length) {
    return text.length > length ? `${text.slice(0, length - 1)}\u2026` : text;
  },

  sub(node) {
    if (!node.runs && !node.entered) return "never ran";
    const time = node.self_time ? ` \u00b7 ${format.seconds(node.self_time)}` : "";
    return `${node.runs}\u00d7${time}`;
  },

  title(box) {
    let taken = "";
    if (box.condition !== undefined) {
      const condition = graph.f.conditions[box.condition];
      taken = ` \u00b7 taken ${condition.arms[box.arm].taken} of ${condition.evaluations}`;
    }
    return graph.short(box.label, 46) + taken;
  },

  draw() {
    const svg = d3.select("#drawing");
    svg.selectAll("*").remove();
    svg.append("defs").append("marker").attr("id", "arrow").attr("viewBox", "0 0 8 8").attr("refX", 7)
      .attr("refY", 4).attr("markerWidth", 7).attr("markerHeight", 7).attr("orient", "auto")
      .append("path").attr("d", "M0,0L8,4L0,8z");
    graph.canvas = svg.append("g");
    graph.zoom = d3.zoom().scaleExtent([0.02, 3]).on("zoom", () => graph.canvas.attr("transform", d3.event.transform));
    const before = graph.drawn ? d3.zoomTransform(svg.node()) : null;
    svg.call(graph.zoom).on("dblclick.zoom", null);
    graph.outlines = new Map();
    const root = graph.layout(graph.f.tree);
    graph.drawBox(graph.canvas, graph.f.tree, root, 0, 0);
    graph.size = root;
    if (before) svg.call(graph.zoom.transform, before);
    else graph.first();
    graph.drawn = true;
  },

  drawBox(parent, box, size, x, y) {
    graph.outlines.set(box.id, { x, y, width: size.width, height: size.height });
    const group = parent.append("g").attr("class", "box").attr("data-box", box.id)
      .classed("never", !box.ran).classed("marked", graph.marked === box.id);
    group.append("rect").attr("x", x).attr("y", y).attr("width", size.width).attr("height", size.height).attr("rx", 8);
    const title = group.append("g").attr("class", "title").attr("tabindex", 0).attr("role", "button")
      .attr("aria-expanded", "true").on("click", () => box.parent && graph.toggle(box.id));
    title.append("rect").attr("x", x).attr("y", y).attr("width", size.width).attr("height", graph.TITLE).attr("rx", 8);
    title.append("text").attr("x", x + 12).attr("y", y + 16).text((box.parent ? "\u25be " : "") + graph.title(box));
    const [left, top] = [x + graph.PAD, y + graph.TITLE + graph.PAD];
    const line = d3.line().x((p) => left + p.x).y((p) => top + p.y).curve(d3.curveBasis);
    for (const edge of size.edges) {
      group.append("path").attr("class", "edge").attr("d", line(edge.points)).attr("marker-end", "url(#arrow)")
        .style("stroke-width", Math.min(2.5, 1 + 0.3 * Math.log2(edge.count)));
    }
    for (const item of size.items) {
      const [itemX, itemY] = [left + item.x - item.width / 2, top + item.y - item.height / 2];
      if (item.open) graph.drawBox(group, item.box, item, itemX, itemY);
      else if (item.box) graph.drawFolded(group, item, itemX, itemY);
      else graph.drawNode(group, item, itemX, itemY);
    }
  },

  drawFolded(parent, item, x, y) {
    graph.outlines.set(item.v, { x, y, width: item.width, height: item.height });
    const total = graph.f.nodeTime;
    const group = parent.append("g").attr("class", "folded").attr("data-box", item.v).attr("tabindex", 0)
      .attr("role", "button").attr("aria-expanded", "false").classed("never", !item.box.ran)
      .on("click", () => graph.toggle(item.v));
    group.append("rect").attr("x", x).attr("y", y).attr("width", item.width).attr("height", item.height).attr("rx", 8)
      .style("--heat", `${total ? 100 * item.box.time / total : 0}%`);
    group.append("text").attr("x", x + 12).attr("y", y + 20).text(`\u25b8 ${graph.title(item.box)}`);
    group.append("text").attr("class", "sub").attr("x", x + 26).attr("y", y + 38).text(graph.foldedSub(item.box));
  },

  drawNode(parent, item, x, y) {
    graph.outlines.set(item.v, { x, y, width: item.width, height: item.height });
    const node = graph.f.nodes[item.index];
    const group = parent.append("g").attr("class", "node").attr("data-node", item.index).attr("tabindex", 0)
      .classed("never", !node.runs && !node.entered).classed("marked", graph.marked === item.v)
      .on("click", () => graph.choose(item.index));
    group.append("title").text(`${node.name}: ${node.type}\n${node.region}\n${node.location} ${node.source}`);
    group.append("rect").attr("x", x).attr("y", y).attr("width", item.width).attr("height", item.height).attr("rx", 5)
      .style("--heat", `${100 * node.share}%`);
    group.append("text").attr("x", x + 10).attr("y", y + 17).text(graph.short(node.name, 26));
    group.append("text").attr("class", "sub").attr("x", x + 10).attr("y", y + 34).text(graph.sub(node));
  },

  choose(index) {
    graph.marked = `n${index}`;
    d3.selectAll("#drawing .marked").classed("marked", false);
    d3.select(`#drawing .node[data-node="${index}"]`).classed("marked", true);
    details.show(graph.f, index);
  },

  look(id) {
    graph.move(graph.outlines.get(id), 1);
  },

  fit() {
    graph.move({ x: 0, y: 0, width: graph.size.width, height: graph.size.height }, 1);
  },

  // What is seen first: all of it, or where that is too small to read, its middle at the top.
  first() {
    const svg = document.getElementById("drawing");
    const [width, scale] = [svg.clientWidth, 0.6];
    if (graph.size.width * scale <= width && graph.size.height * scale <= svg.clientHeight) graph.fit();
    else {
      const beside = (width / scale - graph.size.width) / 2;
      d3.select(svg).call(graph.zoom.transform, d3.zoomIdentity.scale(scale).translate(beside, 16));
    }
  },

  // Shows an outline in the middle, as large as fits but no larger than `most`.
  move(outline, most) {
    const svg = document.getElementById("drawing");
    const [width, height] = [svg.clientWidth, svg.clientHeight];
    const scale = Math.min(most, 0.96 * width / outline.width, 0.96 * height / outline.height);
    const [x, y] = [outline.x + outline.width / 2, outline.y + outline.height / 2];
    d3.select(svg).call(graph.zoom.transform, d3.zoomIdentity.translate(width / 2, height / 2).scale(scale).translate(-x, -y));
  },
};
