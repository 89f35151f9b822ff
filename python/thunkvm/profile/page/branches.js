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
      element("p", { class: "hint" }, facts), bar,
      element("div", { class: "scroll" }, element("table", { class: "plain arm-table" }, ...rows)));
  },
};
