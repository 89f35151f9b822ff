// Numbers as text, and elements made of text.
"use strict";

const format = {
  seconds(s) {
    if (s === null || s === undefined) return "unknown";
    const size = Math.abs(s);
    if (size === 0) return "0 s";
    if (size < 1e-6) return `${(s * 1e9).toFixed(0)} ns`;
    if (size < 1e-3) return `${(s * 1e6).toFixed(3)} \u00b5s`;
    if (size < 1) return `${(s * 1e3).toFixed(3)} ms`;
    return `${s.toFixed(3)} s`;
  },
  // A sentence of the text tables, which write microseconds in ASCII.
  note(text) {
    return text.replace(/(\.\d{3}) us\b/g, "$1 \u00b5s");
  },
  // Three digits that say something; "unknown" of null.
  digits(value) {
    return value === null ? "unknown" : String(Number(value.toPrecision(3)));
  },
  percent(part) {
    return `${(100 * part).toFixed(1)}%`;
  },
  bytes(n) {
    for (const [unit, scale] of [["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10]]) {
      if (n >= scale) return `${(n / scale).toFixed(1)} ${unit}`;
    }
    return `${n} B`;
  },
  count(n, noun) {
    return `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  },
};

// element("a", {href: "#x", class: "link"}, "text", child): an element; text is never read as HTML.
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function link(text, action, title) {
  return element("button", { class: "link", type: "button", title: title || "", onclick: action }, text);
}

// A bar as long as a share of 1, with a text beside it.
function shareBar(share, text) {
  const bar = element("span", { class: "share" });
  bar.style.setProperty("--share", `${100 * share}%`);
  return element("span", { class: "shared" }, bar, element("span", {}, text));
}
