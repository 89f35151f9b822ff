// The timeline of all functions: a track for each thread, what is called below what calls it. Drawn on a canvas.
"use strict";

const timeline = {
  ROW: 20, LEFT: 8, TOP: 24,

  show() {
    const { rows, total, dropped } = data.timeline;
    const note = document.getElementById("timeline-note");
    const box = document.getElementById("timeline-box");
    box.hidden = !rows.length;
    if (!rows.length) {
      note.textContent = 'Nothing here: record with profile="trace" for a timeline.';
      return;
    }
    const parts = [`${format.count(total, "slice")}`, "drag and scroll to move and zoom; click one for its node"];
    if (rows.length < total) parts.splice(1, 0, `the ${rows.length.toLocaleString("en")} longest are here, to_chrome_trace writes all`);
    if (dropped) parts.push(`${format.count(dropped, "event")} found no room in the trace`);
    note.textContent = parts.join(" \u00b7 ");
    timeline.prepare(rows);
  },

  prepare(rows) {
    const tracks = new Map();
    for (const [thread, , , depth] of rows) tracks.set(thread, Math.max(tracks.get(thread) || 0, depth + 1));
    const tops = new Map();
    let top = timeline.TOP;
    for (const [thread, deep] of [...tracks].sort((a, b) => a[0] - b[0])) {
      tops.set(thread, top);
      top += 18 + deep * timeline.ROW;
    }
    const canvas = document.getElementById("canvas");
    const width = canvas.parentElement.clientWidth;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = (top + 8) * ratio;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${top + 8}px`;
    const start = d3.min(rows, (row) => row[1]);
    const end = d3.max(rows, (row) => row[1] + row[2]);
    const scale = d3.scaleLinear().domain([0, end > start ? end - start : 1e-6]).range([timeline.LEFT, width - timeline.LEFT]);
    timeline.state = { rows, tops, scale, origin: start, width, height: top + 8, ratio, canvas };
    const zoom = d3.zoom().scaleExtent([1, 1e6]).translateExtent([[0, 0], [width, top]])
      .on("zoom", () => timeline.draw(d3.event.transform.rescaleX(scale)));
    d3.select(canvas).on(".zoom", null).call(zoom).call(zoom.transform, d3.zoomIdentity)
      .on("mousemove", timeline.hover).on("mouseleave", () => { document.getElementById("tip").hidden = true; })
      .on("click", timeline.choose);
  },

  color(name, kind) {
    if (kind === "call") return "var(--call)";
    const word = name.replace(/\.\d+.*$/, "");
    let hash = 0;
    for (const letter of word) hash = (hash * 31 + letter.codePointAt(0)) % 6;
    return `var(--arm-${hash})`;
  },

  draw(x) {
    const { rows, tops, canvas, ratio, width, height, origin } = timeline.state;
    timeline.x = x;
    const style = getComputedStyle(document.documentElement);
    const resolved = new Map();
    const css = (value) => {
      if (!resolved.has(value)) resolved.set(value, style.getPropertyValue(value.slice(4, -1)).trim());
      return resolved.get(value);
    };
    const pen = canvas.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    for (const tick of x.ticks(Math.max(2, Math.floor(width / 130)))) {
      pen.fillStyle = css("var(--line)");
      pen.fillRect(x(tick), 14, 1, height);
      pen.fillStyle = css("var(--soft)");
      if (x(tick) < width - 70) pen.fillText(format.seconds(tick), x(tick) + 3, 8);
    }
    for (const [thread, top] of tops) {
      pen.fillStyle = css("var(--soft)");
      pen.fillText(`thread ${thread}`, timeline.LEFT, top + 6);
    }
    const last = new Map(); // how far each row is drawn: slices thinner than half a pixel share one
    for (const [thread, start, duration, depth, name, , kind] of rows) {
      const left = x(start - origin);
      const right = x(start - origin + duration);
      const row = `${thread} ${depth}`;
      if (right < 0 || left > width || right < (last.get(row) ?? -1) + 0.5) continue;
      last.set(row, right);
      const top = tops.get(thread) + 16 + depth * timeline.ROW;
      const shown = Math.max(1, right - left - 0.5);
      pen.fillStyle = css(timeline.color(name, kind));
      pen.fillRect(left, top, shown, timeline.ROW - 2);
      const from = Math.max(left, 0);
      const room = Math.min(right, width) - from - 8;
      if (room > 24) {
        pen.fillStyle = css("var(--on-arm)");
        const fits = Math.floor(room / 6.6);
        pen.fillText(name.length > fits ? `${name.slice(0, fits - 1)}\u2026` : name, from + 4, top + timeline.ROW / 2 - 1);
      }
    }
  },

  at() {
    const [px, py] = d3.mouse(timeline.state.canvas);
    const time = timeline.x.invert(px) + timeline.state.origin;
    const wide = timeline.x.invert(px + 1) - timeline.x.invert(px);
    return timeline.state.rows.find(([thread, start, duration, depth]) => {
      const top = timeline.state.tops.get(thread) + 16 + depth * timeline.ROW;
      return py >= top && py < top + timeline.ROW && start - wide <= time && time <= start + duration + wide;
    });
  },

  hover() {
    const tip = document.getElementById("tip");
    const slice = timeline.at();
    tip.hidden = !slice;
    if (!slice) return;
    tip.textContent = `${slice[4]}: ${format.seconds(slice[2])}, at ${format.seconds(slice[1] - timeline.state.origin)}`;
    const [px, py] = d3.mouse(timeline.state.canvas);
    tip.style.left = `${Math.min(px + 12, timeline.state.width - 220)}px`;
    tip.style.top = `${py + 16}px`;
  },

  choose() {
    const slice = timeline.at();
    if (!slice) return;
    main.select(slice[7]);
    if (slice[5] !== null) details.show(main.f, slice[5]);
  },
};
