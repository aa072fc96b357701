// What datasets have in common: heat maps of URLs, documents and paragraphs.
import type { Overlap, Report } from "../data.ts";
import { choice, element } from "../dom.ts";
import type { Words } from "../words.ts";

type Share = "ofRow" | "ofColumn" | "ofBoth";
let of: Share = "ofRow";

export function overlapSection(report: Report, words: Words): HTMLElement | null {
  if (report.overlap === null || report.overlap.length === 0) return null;
  const body = element("div");
  const draw = () => body.replaceChildren(...report.overlap!.flatMap((overlap) => maps(overlap, words)));
  const shares: [Share, string][] = [
    ["ofRow", words.say("ofRow")],
    ["ofColumn", words.say("ofColumn")],
    ["ofBoth", words.say("ofBoth")],
  ];
  draw();
  return element(
    "section",
    {},
    element("h2", {}, words.say("overlap")),
    element("p", { class: "lead" }, words.say("overlapLead")),
    choice(words.say("shareOf"), shares, of, (value) => {
      of = value;
      draw();
    }),
    body,
  );
}

function maps(overlap: Overlap, words: Words): Node[] {
  const made = overlap.kinds.map((kind) => element("div", { class: "card" }, heatMap(overlap.datasets, kind, words)));
  return [element("h3", {}, overlap.name), element("div", { class: "cards" }, ...made)];
}

const short = (name: string) => name.split("/").at(-1) || name;

function heatMap(names: string[], kind: Overlap["kinds"][number], words: Words): HTMLElement {
  const head = element("tr", {}, element("td"), ...names.map((name) => element("th", { scope: "col", title: name }, short(name))));
  const rows = names.map((name, row) => {
    const label = element("th", { scope: "row", title: name }, short(name), " ", element("small", {}, words.count(kind.counts[row] ?? null)));
    return element("tr", {}, label, ...names.map((_, column) => cell(kind, row, column, words)));
  });
  const caption = element("caption", {}, words.name(kind.kind));
  return element("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": words.name(kind.kind) }, element("table", { class: "heat" }, caption, element("thead", {}, head), element("tbody", {}, ...rows)));
}

function cell(kind: Overlap["kinds"][number], row: number, column: number, words: Words): HTMLElement {
  const both = kind.both[row]?.[column] ?? 0;
  const [own = 0, other = 0] = [kind.counts[row], kind.counts[column]];
  const whole = of === "ofRow" ? own : of === "ofColumn" ? other : own + other - both;
  const made = element("td", { title: words.count(both) }, whole > 0 ? words.share(both / whole) : words.say("unknown"));
  made.style.setProperty("--share", String(whole > 0 ? both / whole : 0));
  return made;
}
