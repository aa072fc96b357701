// How a threshold removes documents: as RemovesAt of src/filters/removal_rule.h says, of metrics that are 32-bit numbers.
import type { Threshold } from "./data.ts";

// The number as it is compared. Where a metric was compared in more bits than the page has of it, the number is rounded
// as the metric is, so that equals stay equal; a margin is wider than what rounding does.
const boundOf = ({ float, single, margin }: Threshold, number: number) =>
  float || (!single && margin === 0) ? Math.fround(number) : number;

// Whether a document of this metric goes if the threshold's number is `number`. What is no number stays.
export function removes(threshold: Threshold, metric: number, number: number): boolean {
  const bound = boundOf(threshold, number);
  const compared = threshold.single ? metric : metric + threshold.margin;
  switch (threshold.removes) {
    case "<":
      return compared < bound;
    case ">":
      return compared > bound;
    case ">=":
      return compared >= bound;
  }
}

// 32-bit numbers in their order, counted from 0.
function numberAt(place: number): number {
  return Math.sign(place) * new Float32Array(new Int32Array([Math.abs(place)]).buffer)[0]!;
}
const infinity = 0x7f800000; // its place

// The least 32-bit number on the upper side of a threshold.
export function cut(threshold: Threshold, number: number): number {
  const isUpper = (place: number) => removes(threshold, numberAt(place), number) !== (threshold.removes === "<");
  let low = -infinity;
  let high = infinity;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isUpper(middle)) high = middle;
    else low = middle + 1;
  }
  return numberAt(low);
}
