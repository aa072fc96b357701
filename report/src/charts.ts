// Charts, by Observable Plot: SVG, which takes our colours, prints sharply and can be read aloud.
import * as Plot from "@observablehq/plot";
import type { Bar, Scale } from "./bins.ts";
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
        ticks: Math.max(3, Math.floor(width / 90)),
        tickFormat: (value: number) => words.short(value),
        ...(scale.type === "symlog" ? { ticks: decades(scale, width), constant: 1 } : {}),
        ...(scale.type === "log" ? { ticks: decades(scale, width) } : {}),
      },
      y: { grid: true, label: null, ticks: 4, tickFormat: (value: number) => `${value}%`, zero: true },
      marks: [
        Plot.rectY(percents(own), { x1: "x1", x2: "x2", y: "y", fill: "var(--data)", insetLeft: 0.5, insetRight: 0.5 }),
        ...(other ? [Plot.lineY(outline(percents(other)), { x: "x", y: "y", stroke: "var(--other)", strokeWidth: 2 })] : []),
        Plot.ruleY([0], { stroke: "var(--line)" }),
      ],
    },
    label,
  );
}

// The steps of bars, as a line goes.
const outline = (bars: (Bar & { y: number })[]) => bars.flatMap(({ x1, x2, y }) => [{ x: x1, y }, { x: x2, y }]);

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
export function columns(data: Column[], width: number, label: string, words: Words, logarithmic: boolean): SVGSVGElement {
  const every = Math.ceil((data.length * 52) / Math.max(width - 60, 1));
  const shown = data.filter((_, at) => at % every === 0).map(({ name }) => name);
  const most = Math.max(...data.map(({ value }) => value));
  const log = logarithmic && most > 100;
  return chart(
    {
      ...margins,
      width,
      height: 180,
      x: { type: "band", domain: data.map(({ name }) => name), label: null, ticks: shown, tickSize: 0, padding: 0.2 },
      y: {
        type: log ? "symlog" : "linear",
        grid: true,
        label: null,
        ...(log ? { ticks: decades({ type: "symlog", domain: [0, most] }, 300).filter((tick) => tick !== 1) } : { ticks: 4 }),
        tickFormat: (value: number) => words.short(value),
      },
      marks: [Plot.barY(data, { x: "name", y: "value", fill: "var(--data)" }), Plot.ruleY([0], { stroke: "var(--line)" })],
    },
    label,
  );
}

// Draws again when the width changes.
export function resized(draw: (width: number) => Node): HTMLElement {
  const made = document.createElement("div");
  made.className = "chart";
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
