// What datasets have in common: heat maps of URLs, documents and paragraphs.
import { cellsChart } from "../charts.ts";
import type { Overlap, Report } from "../data.ts";
import { breakable, choice, element } from "../dom.ts";
import { savingButtons } from "../saved_chart.ts";
import { shortNames } from "../short_names.ts";
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

function heatMap(names: string[], kind: Overlap["kinds"][number], words: Words): HTMLElement {
  const short = shortNames(names);
  const head = element(
    "tr",
    {},
    element("td"),
    ...names.map((name, at) => element("th", { scope: "col", title: name }, breakable(short[at]!))),
  );
  const rows = names.map((name, row) => {
    const label = element(
      "th",
      { scope: "row", title: name },
      breakable(short[row]!),
      " ",
      element("small", {}, words.count(kind.counts[row] ?? null)),
    );
    return element("tr", {}, label, ...names.map((_, column) => cell(kind, row, column, words)));
  });
  const kindName = words.name(kind.kind);
  const shares = [...names.keys()].map((row) => [...names.keys()].map((column) => shareAt(kind, row, column)));
  const saving = savingButtons(
    kindName,
    () => cellsChart(short, shares, (share) => words.share(share), kindName),
    words,
  );
  return element(
    "div",
    {},
    element(
      "div",
      { class: "scrolls", tabindex: 0, role: "region", "aria-label": kindName },
      element(
        "table",
        { class: "heat" },
        element("caption", {}, kindName),
        element("thead", {}, head),
        element("tbody", {}, ...rows),
      ),
    ),
    saving,
  );
}

function shareAt(kind: Overlap["kinds"][number], row: number, column: number): number {
  const both = kind.both[row]?.[column] ?? null;
  const [own, other] = [kind.counts[row] ?? null, kind.counts[column] ?? null];
  return both === null || own === null || other === null ? NaN : shareOf(both, own, other);
}

function cell(kind: Overlap["kinds"][number], row: number, column: number, words: Words): HTMLElement {
  const share = shareAt(kind, row, column);
  const made = element("td", { title: words.count(kind.both[row]?.[column] ?? null) }, words.share(share));
  made.style.setProperty("--share", String(share || 0));
  return made;
}

// No number where there is nothing to be a share of.
function shareOf(both: number, own: number, other: number): number {
  const whole = of === "ofRow" ? own : of === "ofColumn" ? other : own + other - both;
  return whole > 0 ? both / whole : NaN;
}
