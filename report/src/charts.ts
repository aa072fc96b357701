// Charts, by Observable Plot: SVG, which takes our colours, prints sharply and can be read aloud.
import * as Plot from "@observablehq/plot";
import { type Bar, placeOf, type Scale } from "./bins.ts";
import { savingButtons } from "./saved_chart.ts";
import type { Words } from "./words.ts";

// Plot's own style sheet is left out before the chart is in the page, where the policy of content would refuse it; ours has
// what it says.
function chart(options: Plot.PlotOptions, label: string): SVGSVGElement {
  const made = Plot.plot({ className: "plot", ...options }) as SVGSVGElement;
  made.querySelector("style")?.remove();
  for (const inner of made.querySelectorAll("[aria-label]")) inner.removeAttribute("aria-label");
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

export const margins = { marginLeft: 44, marginRight: 12, marginTop: 10, marginBottom: 28 };

const percents = (bars: Bar[]) => bars.map((bar) => ({ ...bar, y: bar.share * 100 }));

// A metric's distribution, and that of another table as a line.
export function distribution(layers: Bar[][], scale: Scale, width: number, label: string, words: Words): SVGSVGElement {
  const [own, other] = layers as [Bar[], Bar[] | undefined];
  return chart(
    {
      ...margins,
      width,
      height: 170,
      x: {
        type: scale.type,
        domain: scale.domain,
        label: null,
        ticks: Math.min(Math.max(3, Math.floor(width / 90)), wholeTicks(scale)),
        tickFormat: (value: number) => words.short(value),
        ...(scale.type === "symlog" ? { ticks: decades(scale, width), constant: 1 } : {}),
        ...(scale.type === "log" ? { ticks: decades(scale, width) } : {}),
      },
      y: { grid: true, label: null, ticks: 4, tickFormat: (value: number) => `${value}%`, zero: true },
      marks: [
        Plot.rectY(percents(own), { x1: "x1", x2: "x2", y: "y", fill: "var(--data)", insetLeft: 0.5, insetRight: 0.5 }),
        ...(other
          ? [Plot.lineY(outline(percents(other)), { x: "x", y: "y", stroke: "var(--other)", strokeWidth: 2 })]
          : []),
        Plot.ruleY([0], { stroke: "var(--line)" }),
      ],
    },
    label,
  );
}

// Of whole numbers, which have half a unit on each side, no more than there are.
const wholeTicks = ({ domain: [least, most] }: Scale) => (Math.abs(least % 1) === 0.5 ? most - least : Infinity);

// The steps of bars, as a line goes.
const outline = (bars: (Bar & { y: number })[]) =>
  bars.flatMap(({ x1, x2, y }) => [
    { x: x1, y },
    { x: x2, y },
  ]);

// Powers of ten on the axis, as many as there is room for.
function decades(scale: Scale, width: number): number[] {
  const [least, most] = scale.domain;
  const first = least > 0 ? Math.ceil(Math.log10(least)) : 0;
  const last = Math.floor(Math.log10(Math.max(most, 1)));
  const step = Math.max(1, Math.ceil(((last - first + 1) * 56) / Math.max(width - 60, 1)));
  const powers: number[] = least <= 0 ? [0] : [];
  for (let power = first; power <= last; power += step) powers.push(10 ** power);
  return powers.length > 1 ? powers : [least, most];
}

export interface Column {
  name: string;
  value: number;
}

// Counts by name, upright; on a logarithmic axis where they span decades.
export function columns(
  data: Column[],
  width: number,
  label: string,
  words: Words,
  logarithmic: boolean,
): SVGSVGElement {
  const every = Math.ceil((data.length * 52) / Math.max(width - 60, 1));
  const shown = data.filter((_, at) => at % every === 0).map(({ name }) => name);
  const most = Math.max(...data.map(({ value }) => value));
  const log = logarithmic && most > 100;
  return chart(
    {
      ...margins,
      marginRight: 26,
      width,
      height: 180,
      x: { type: "band", domain: data.map(({ name }) => name), label: null, ticks: shown, tickSize: 0, padding: 0.2 },
      y: {
        type: log ? "symlog" : "linear",
        grid: true,
        label: null,
        ...(log
          ? { ticks: decades({ type: "symlog", domain: [0, most] }, 300).filter((tick) => tick !== 1) }
          : { ticks: 4 }),
        tickFormat: (value: number) => words.short(value),
      },
      marks: [
        Plot.barY(data, { x: "name", y: "value", fill: "var(--data)" }),
        Plot.ruleY([0], { stroke: "var(--line)" }),
      ],
    },
    label,
  );
}

// Lines for thresholds in a distribution: on the page they are handles over it, in a file they are part of it.
export function withThresholds(
  drawn: SVGSVGElement,
  thresholds: { tag: string; value: number }[],
  scale: Scale,
): SVGSVGElement {
  const marked = drawn.cloneNode(true) as SVGSVGElement;
  const inside = Number(drawn.getAttribute("width")) - margins.marginLeft - margins.marginRight;
  const bottom = Number(drawn.getAttribute("height")) - margins.marginBottom;
  for (const { tag, value } of thresholds) {
    const x = margins.marginLeft + inside * placeOf(scale, value);
    const line = svgElement("line", { x1: x, x2: x, y1: margins.marginTop, y2: bottom, stroke: "var(--gone-ink)" });
    const text = svgElement("text", { x: x + 3, y: margins.marginTop + 8, fill: "var(--gone-ink)" });
    text.textContent = tag;
    marked.append(line, text);
  }
  return marked;
}

function svgElement(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

// Parts of wholes below each other, with their numbers: what tables with bars show, as a picture to be saved.
export interface Part {
  className: "kept" | "gone" | "total";
  from: number;
  to: number;
}

export interface Row {
  name: string;
  parts: Part[];
  numbers: string;
}

const rowFills = { kept: "var(--data)", gone: "var(--gone)", total: "var(--accent)" };
const rowHeight = 22;

export function rowsChart(data: Row[], label: string): SVGSVGElement {
  const bars = data.flatMap(({ parts }, at) => parts.map((part) => ({ ...part, at: String(at) })));
  return chart(
    {
      width: 900,
      height: rowHeight * data.length + 20,
      marginLeft: 260,
      marginRight: 170,
      marginTop: 10,
      marginBottom: 10,
      x: { domain: [0, 1], axis: null },
      y: { domain: data.map((_, at) => String(at)), axis: null, padding: 0.25 },
      marks: [
        Plot.barX(bars, { x1: "from", x2: "to", y: "at", fill: (part: Part) => rowFills[part.className] }),
        Plot.text(data, {
          x: 0,
          y: (_, at) => String(at),
          text: "name",
          dx: -8,
          textAnchor: "end",
          fill: "var(--ink)",
        }),
        Plot.text(data, {
          x: 1,
          y: (_, at) => String(at),
          text: "numbers",
          dx: 160,
          textAnchor: "end",
          fill: "var(--ink)",
        }),
      ],
    },
    label,
  );
}

// A matrix of shares, to be saved.
export function cellsChart(
  names: string[],
  shares: number[][],
  text: (share: number) => string,
  label: string,
): SVGSVGElement {
  const at = (place: number) => names[place]!;
  const places = [...names.keys()].map(String);
  const cells = shares.flatMap((of, row) =>
    of.map((share, column) => ({ share, row: String(row), column: String(column) })),
  );
  const axis = { domain: places, label: null, tickFormat: (place: string) => at(Number(place)), tickSize: 0 };
  return chart(
    {
      width: 220 + 110 * names.length,
      height: 60 + 34 * names.length,
      marginLeft: 200,
      marginTop: 40,
      x: { ...axis, axis: "top" },
      y: axis,
      marks: [
        Plot.cell(cells, {
          x: "column",
          y: "row",
          fill: "var(--data)",
          fillOpacity: ({ share }) => 0.62 * (share || 0),
        }),
        Plot.text(cells, { x: "column", y: "row", text: ({ share }) => text(share), fill: "var(--ink)" }),
      ],
    },
    label,
  );
}

// Draws again when the width changes. `saved` is what a file has instead of what was drawn.
export function resized(
  draw: (width: number) => SVGSVGElement,
  name: string,
  words: Words,
  saved = (drawn: SVGSVGElement) => drawn,
): HTMLElement {
  const made = document.createElement("div");
  made.className = "chart";
  made.append(savingButtons(name, () => saved(made.querySelector("svg")!), words));
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(made.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    made.querySelector("svg")?.remove();
    made.prepend(draw(width));
  }).observe(made);
  return made;
}
