// A chain as HOCON, a filter a line, as `uzushio filter --config` reads it.
import type { Filter } from "./data.ts";
import type { Settings } from "./sample.ts";

export interface Piece {
  text: string;
  changed: boolean;
}

// What each line has, parted where a value was changed.
export function chainPieces(chain: Filter[], settings: Settings): Piece[][] {
  return chain.map((filter, place) => {
    const now = new Map<string, number>();
    for (const [at, threshold] of filter.thresholds.entries()) {
      const value = settings.thresholds[place]![at]!;
      if (value !== threshold.value) now.set(threshold.parameter, value);
    }
    const random = settings.random[place];
    if (filter.random && random !== null && random !== filter.random.value) now.set(filter.random.parameter, random!);
    const pieces: Piece[] = [{ text: `{"class": ${JSON.stringify(filter.class)}`, changed: false }];
    for (const name of new Set([...Object.keys(filter.parameters), ...now.keys()])) {
      const changed = now.has(name);
      pieces.push({ text: `, ${JSON.stringify(name)}: `, changed: false });
      pieces.push({ text: JSON.stringify(changed ? now.get(name) : filter.parameters[name]), changed });
    }
    return [...pieces, { text: "}", changed: false }];
  });
}

export function chainText(chain: Filter[], settings: Settings): string {
  const lines = chainPieces(chain, settings).map((pieces) => `  ${pieces.map((piece) => piece.text).join("")}\n`);
  return `filters: [\n${lines.join("")}]\n`;
}
