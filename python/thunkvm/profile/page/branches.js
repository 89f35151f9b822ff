// The conditions: how often each arm was taken, what it took, and what not taking it saved.
"use strict";

const branches = {
  show(f) {
    const list = document.getElementById("branch-list");
    if (!f.conditions.length) {
      list.replaceChildren(element("p", { class: "hint" }, "this function has no branches"));
      return;
    }
    const order = [...f.conditions].sort((a, b) => branches.time(b) - branches.time(a));
    list.replaceChildren(...order.map((condition) => branches.card(f, condition)));
  },

  time(condition) {
    return condition.arms.reduce((sum, arm) => sum + arm.time, 0);
  },

  card(f, condition) {
    const where = condition.file && link(`${condition.file.split("/").pop()}:${condition.line}`,
      () => source.open(f, condition.file, condition.line), condition.file);
    const saved = condition.evaluations ? `saved ${format.seconds(condition.saved)}` : "never evaluated";
    const facts = [
      `evaluated ${condition.evaluations.toLocaleString("en")} times`,
      `${format.count(condition.flips, "flip")}`, saved, `break-even ${format.seconds(condition.break_even)}`,
    ].join(" \u00b7 ");
    const loop = f.loops.find((each) => each.condition === condition.index);
    const total = branches.time(condition);
    const bar = element("div", { class: "arms" });
    const rows = condition.arms.map((arm, number) => {
      const share = condition.evaluations ? arm.taken / condition.evaluations : 0;
      const part = element("span", { class: "arm", title: `${arm.name}: ${format.percent(share)}` });
      part.style.flexGrow = share;
      part.style.background = `var(--arm-${number % 6})`;
      bar.append(part);
      const mark = element("span", { class: "mark" });
      mark.style.background = `var(--arm-${number % 6})`;
      const name = arm.count
        ? link(arm.name, () => graph.openArm(f, condition.index, number), "show this arm in the graph") : arm.name;
      const each = !arm.taken && !arm.idle ? "never ran" : `${format.seconds(arm.mean)} each time`;
      return element("tr", { class: arm.taken ? "" : "never" },
        element("td", {}, mark, name),
        element("td", {}, `${arm.taken.toLocaleString("en")} times`),
        element("td", {}, format.percent(share)),
        element("td", {}, shareBar(total ? arm.time / total : 0, format.seconds(arm.time))),
        element("td", {}, each),
        element("td", {}, arm.count ? format.count(arm.count, "node") : "no node of its own"));
    });
    return element("article", { class: "card", id: `condition-${condition.index}` },
      element("h3", {}, element("code", {}, condition.text || "a condition"), " ", where || ""),
      element("p", { class: "hint" }, loop ? branches.loopFacts(loop) : facts), bar,
      element("div", { class: "scroll" }, element("table", { class: "plain arm-table" }, ...rows)),
      ...(loop ? [] : branches.bySteps(condition)));
  },

  loopFacts(loop) {
    const { least, median, most } = loop;
    const ended = Object.entries(loop.ended).map(([what, count]) => `${what} ${count.toLocaleString("en")}`);
    return [
      `${loop.node}: ${format.count(loop.n_runs, "run")}, ${format.count(loop.steps, "step")}`,
      least === null ? "none came to its end" : `min ${least}, median ${median}, max ${most} steps`,
      `${format.seconds(loop.step_time)} each step`, `saved ${format.seconds(loop.saved)} in its steps`,
      `ended by ${ended.join(", ") || "nothing yet"}`,
    ].join(" \u00b7 ");
  },

  // Which way a condition in a loop went, by step: a bar for steps 0, 1, 2-3, 4-7, ...
  bySteps(condition) {
    if (condition.by_steps.length < 2) return [];
    const rows = condition.by_steps.map((taken, number) => {
      const all = taken.reduce((sum, count) => sum + count, 0);
      const [first, last] = data.stepRanges[number];
      const bar = element("div", { class: "arms" });
      taken.forEach((count, arm) => {
        const part = element("span", { class: "arm", title: `${condition.arms[arm].name}: ${count.toLocaleString("en")} times` });
        part.style.flexGrow = all ? count / all : 0;
        part.style.background = `var(--arm-${arm % 6})`;
        bar.append(part);
      });
      return element("tr", {}, element("td", {}, first === last ? `step ${first}` : `steps ${first}-${last}`),
        element("td", { class: "step-bar" }, bar), element("td", {}, `${all.toLocaleString("en")} times`));
    });
    return [element("table", { class: "plain arm-table" }, ...rows)];
  },
};
