// Distributions of a metric: bins at quantiles, and bars of equal width made of them.
import type { Column, Threshold } from "./data.ts";
import { cut } from "./removal.ts";

export type Counted = "documents" | "characters" | "bytes";

export interface Marginal {
  share: number; // that stays
  exact: boolean;
}

// The place in `edges` of the bin with `value`.
function binOf(edges: number[], value: number): number {
  let low = 0;
  let high = edges.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (edges[middle]! <= value) low = middle;
    else high = middle;
  }
  return low;
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

// What is below a value; inside of a bin, as if it were spread evenly. A bin without width is its edge.
function below(edges: number[], counts: number[], value: number): number {
  if (value <= edges[0]!) return 0;
  if (edges.length < 2 || value > edges[edges.length - 1]!) return sum(counts);
  const bin = binOf(edges, value);
  const width = edges[bin + 1]! - edges[bin]!;
  return sum(counts.slice(0, bin)) + counts[bin]! * (width > 0 ? (value - edges[bin]!) / width : 0);
}

// Whether it is counted what is below a value. At the greatest one it is not, where others are in its bin.
function isKnown(edges: number[], value: number): boolean {
  const most = edges.at(-1)!;
  if (value === most) return edges.length < 2 || edges.at(-2) === most;
  return value <= edges[0]! || value > most || edges.some((edge) => Math.fround(edge) === value);
}

// What stays when this threshold alone removes. Documents whose metric is no number stay.
export function marginal(column: Column, threshold: Threshold, value: number, counted: Counted): Marginal {
  const all = sum(column[counted]);
  const nan = counted === "documents" ? column.nan : 0;
  const at = cut(threshold, value);
  const exact = isKnown(column.edges, at);
  const under = below(column.edges, column[counted], !exact && isWhole(column) ? Math.ceil(at) : at);
  const kept = threshold.removes === "<" ? all - under : under;
  return { share: all + nan > 0 ? (kept + nan) / (all + nan) : 0, exact };
}

export interface Scale {
  type: "linear" | "log" | "symlog";
  domain: [number, number];
}

export const quantile = (column: Column, share: number): number | undefined =>
  column.quantiles.values[column.quantiles.at.findIndex((at) => at >= share)];

// Values that are whole numbers lie half a unit on each side of them. A threshold may put an edge right above one.
const isWhole = ({ edges }: Column) =>
  edges.length > 1 &&
  edges.every((edge, at) => Number.isInteger(edge) || (at > 0 && isRightAbove(edges[at - 1]!, edge)));
const isRightAbove = (whole: number, edge: number) =>
  Number.isInteger(whole) && edge - whole <= Math.max(Math.abs(whole), 2 ** -100) * 2 ** -22;
const drawnEdges = ({ edges }: Column) =>
  edges.map((edge, at) => Math.ceil(edge) + (at === edges.length - 1 ? 0.5 : -0.5));

// A logarithmic axis where most of a linear one would be empty. Thresholds that are near the values are on it.
export function scaleOf(columns: Column[], thresholds: number[]): Scale {
  let least = Math.min(...columns.map((column) => column.edges[0]!));
  let most = Math.max(...columns.map((column) => column.edges.at(-1)!));
  const middle = Math.max(...columns.map((column) => quantile(column, 0.5) ?? 0));
  const whole = columns.every(isWhole);
  const few = whole && most - least < 100;
  const spread = !few && least >= 0 && most > 10 && most > 25 * middle;
  const decades = least > 0 && most / least > 1000;
  const reach = most - least || Math.abs(most) || 1;
  for (const value of thresholds) {
    if (value >= least - reach / 2 && value <= most + reach / 2) {
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
  }
  const type = spread || decades ? (least > 0 ? "log" : "symlog") : "linear";
  if (type === "linear" && whole) [least, most] = [Math.floor(least) - 0.5, Math.ceil(most) + 0.5];
  else if (least === most) [least, most] = [least - reach / 2, most + reach / 2];
  return { type, domain: [least, most] };
}

export const forward = (scale: Scale, value: number): number =>
  scale.type === "linear"
    ? value
    : scale.type === "log"
      ? Math.log(value)
      : Math.sign(value) * Math.log1p(Math.abs(value));
const backward = (scale: Scale, value: number): number =>
  scale.type === "linear"
    ? value
    : scale.type === "log"
      ? Math.exp(value)
      : Math.sign(value) * Math.expm1(Math.abs(value));

// Where a value is on the axis, in [0, 1], and the value of a place.
export function placeOf(scale: Scale, value: number): number {
  const [least, most] = scale.domain.map((end) => forward(scale, end)) as [number, number];
  if (scale.type === "log" && value <= 0) return 0;
  return Math.min(1, Math.max(0, (forward(scale, value) - least) / (most - least)));
}

export function valueAt(scale: Scale, place: number): number {
  const [least, most] = scale.domain.map((end) => forward(scale, end)) as [number, number];
  return backward(scale, least + (most - least) * Math.min(1, Math.max(0, place)));
}

export interface Bar {
  x1: number;
  x2: number;
  share: number; // of the documents
}

// `most` bars of equal width on the axis, or one for each whole number. Their areas are as the counts are.
export function bars(column: Column, scale: Scale, most: number): Bar[] {
  const numbers = isWhole(column) && scale.type === "linear" ? scale.domain[1] - scale.domain[0] : most;
  const count = Number.isInteger(numbers) ? Math.min(most, numbers) : most;
  const edges = isWhole(column) ? drawnEdges(column) : column.edges;
  const all = sum(column.documents) + column.nan;
  const ends = Array.from({ length: count + 1 }, (_, at) => valueAt(scale, at / count));
  const under = ends.map((end, at) =>
    at === 0 ? 0 : at === count ? sum(column.documents) : below(edges, column.documents, end),
  );
  return ends.slice(1).map((x2, at) => ({
    x1: ends[at]!,
    x2,
    share: all > 0 ? (under[at + 1]! - under[at]!) / all : 0,
  }));
}
