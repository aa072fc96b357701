// What stays of the sample when thresholds are moved: all filters together, and each by itself.
import { type Filter, type Metrics, type Threshold, type Total, unpack } from "./data.ts";

// The values that thresholds and random filters have at the moment, by their place in the chain.
export interface Settings {
  thresholds: number[][];
  random: (number | null)[];
}

export interface Kept extends Total {
  removed: Total[]; // by each filter, of what those before it leave
}

export const settingsOf = (chain: Filter[]): Settings => ({
  thresholds: chain.map((filter) => filter.thresholds.map((threshold) => threshold.value)),
  random: chain.map((filter) => filter.random?.value ?? null),
});

// Whether a document goes. Compared as 32-bit numbers, in which the values are; what is no number stays.
export function removes(how: Threshold["removes"], value: number, threshold: number): boolean {
  const at = Math.fround(threshold);
  switch (how) {
    case "<":
      return value < at;
    case "<=":
      return value <= at;
    case ">":
      return value > at;
    case ">=":
      return value >= at;
  }
}

const sum = (numbers: Uint32Array) => numbers.reduce((total, number) => total + number, 0);
const none = (): Total => ({ documents: 0, characters: 0, bytes: 0 });

export class Sample {
  readonly documents: number;
  readonly values: Float32Array[];
  readonly all: Total;
  private readonly characters: Uint32Array;
  private readonly bytes: Uint32Array;
  private readonly random: Float64Array | null;
  private readonly fixedRemoved: Uint8Array | null;

  constructor(private readonly metrics: Metrics) {
    const packed = metrics.sample;
    this.documents = packed.documents;
    this.values = packed.values.map((values) => new Float32Array(unpack(values)));
    this.characters = new Uint32Array(unpack(packed.characters));
    this.bytes = new Uint32Array(unpack(packed.bytes));
    this.random = packed.random === null ? null : new Float64Array(unpack(packed.random));
    this.fixedRemoved = packed.fixedRemoved === null ? null : new Uint8Array(unpack(packed.fixedRemoved));
    this.all = {
      documents: this.documents,
      characters: sum(new Uint32Array(unpack(packed.allCharacters))),
      bytes: sum(new Uint32Array(unpack(packed.allBytes))),
    };
  }

  // Whether it is all documents, so that what it says is exact.
  get whole(): boolean {
    return this.documents === this.metrics.documents;
  }

  kept(settings: Settings): Kept {
    const gone = new Uint8Array(this.documents);
    const removed = this.metrics.chain.map((filter, place) => {
      const by = none();
      const marks = this.marks(filter, settings, place);
      for (let row = 0; row < this.documents; ++row) {
        if (marks[row] && !gone[row]) this.add(by, row);
        gone[row]! |= marks[row]!;
      }
      return by;
    });
    const kept = none();
    for (let row = 0; row < this.documents; ++row) {
      const fixed = this.fixedRemoved !== null && (this.fixedRemoved[row]! & 1) !== 0;
      if (!gone[row] && !fixed && this.characters[row]! > 0) this.add(kept, row);
    }
    return { ...kept, removed };
  }

  // The first filter that removes a document, by its place.
  firstToRemove(row: number, settings: Settings): number | null {
    const place = this.metrics.chain.findIndex((filter, at) => this.decides(filter, settings, at, row));
    return place < 0 ? null : place;
  }

  private add(total: Total, row: number): void {
    total.documents += 1;
    total.characters += this.characters[row]!;
    total.bytes += this.bytes[row]!;
  }

  private marks(filter: Filter, settings: Settings, place: number): Uint8Array {
    const marks = new Uint8Array(this.documents);
    if (filter.thresholds.length === 0 && filter.random === null) return marks;
    for (let row = 0; row < this.documents; ++row) marks[row] = this.decides(filter, settings, place, row) ? 1 : 0;
    return marks;
  }

  private decides(filter: Filter, settings: Settings, place: number, row: number): boolean {
    const values = settings.thresholds[place]!;
    for (let at = 0; at < values.length; ++at) {
      const threshold = filter.thresholds[at]!;
      if (removes(threshold.removes, this.values[threshold.column]![row]!, values[at]!)) return true;
    }
    const expected = settings.random[place];
    if (filter.random === null || expected === null || this.random === null) return false;
    const metric = this.values[filter.random.column]![row]!;
    return metric > 0 && this.random[row]! > expected! / metric;
  }
}
