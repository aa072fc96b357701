// What stays of the sample when thresholds are moved: all filters together, and each by itself.
import { type Filter, laterFixed, type Metrics, nothingFixed, type Total, unpack } from "./data.ts";
import { margin } from "./estimate.ts";
import { removes } from "./removal.ts";

// The values that thresholds and random filters have at the moment, by their place in the chain.
export interface Settings {
  thresholds: number[][];
  random: (number | null)[];
}

export interface Kept extends Total {
  removed: Total[]; // by each filter, of what those before it leave
}

// What stays of the sample.
export interface KeptOfSample extends Kept {
  margins: Total; // how far the shares may be from those of all
}

export const settingsOf = (chain: Filter[]): Settings => ({
  thresholds: chain.map((filter) => filter.thresholds.map((threshold) => threshold.value)),
  random: chain.map((filter) => filter.random?.value ?? null),
});

const sum = (numbers: Uint32Array) => numbers.reduce((total, number) => total + number, 0);
const none = (): Total => ({ documents: 0, characters: 0, bytes: 0 });

export class Sample {
  readonly documents: number;
  readonly values: Float32Array[];
  readonly all: Total;
  private readonly characters: Uint32Array;
  private readonly bytes: Uint32Array;
  private readonly allCharacters: Uint32Array;
  private readonly allBytes: Uint32Array;
  private readonly ones: Uint32Array;
  private readonly random: Float64Array | null;
  private readonly fixedRemoved: Uint8Array | null;
  private readonly marked: { key: string; marks: Uint8Array }[] = [];

  constructor(private readonly metrics: Metrics) {
    const packed = metrics.sample;
    this.documents = packed.documents;
    this.values = packed.values.map((values) => new Float32Array(unpack(values)));
    this.characters = new Uint32Array(unpack(packed.characters));
    this.bytes = new Uint32Array(unpack(packed.bytes));
    this.random = packed.random === null ? null : new Float64Array(unpack(packed.random));
    this.fixedRemoved = packed.fixedRemoved === null ? null : new Uint8Array(unpack(packed.fixedRemoved));
    this.allCharacters = new Uint32Array(unpack(packed.allCharacters));
    this.allBytes = new Uint32Array(unpack(packed.allBytes));
    this.ones = new Uint32Array(this.documents).fill(1);
    this.all = { documents: this.documents, characters: sum(this.allCharacters), bytes: sum(this.allBytes) };
  }

  // Whether it is all documents, so that what it says is exact.
  get whole(): boolean {
    return this.documents === this.metrics.documents;
  }

  kept(settings: Settings): KeptOfSample {
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
    const stays = new Uint8Array(this.documents);
    for (let row = 0; row < this.documents; ++row) {
      if (gone[row] || this.fixed(row) !== null || this.characters[row] === 0) continue;
      stays[row] = 1;
      this.add(kept, row);
    }
    return { ...kept, removed, margins: this.margins(stays) };
  }

  private margins(stays: Uint8Array): Total {
    const of = this.metrics.documents;
    return {
      documents: margin(stays, this.ones, this.ones, of),
      characters: margin(stays, this.characters, this.allCharacters, of),
      bytes: margin(stays, this.bytes, this.allBytes, of),
    };
  }

  // What becomes of a document: the place of the first filter that removes it; else whether a fixed one does whose place
  // is not known, or nothing of its text is left.
  fate(row: number, settings: Settings): number | "fixed" | "empty" | "stays" {
    const place = this.metrics.chain.findIndex((filter, at) => this.decides(filter, settings, at, row));
    if (place >= 0) return place;
    if (this.fixed(row) !== null) return "fixed";
    return this.characters[row]! > 0 ? "stays" : "empty";
  }

  // The place of the first filter that removes it by what can not be moved; "later" where it is not known.
  private fixed(row: number): number | "later" | null {
    const place = this.fixedRemoved?.[row] ?? nothingFixed;
    if (place === nothingFixed) return null;
    return place === laterFixed && this.metrics.chain.length > laterFixed + 1 ? "later" : place;
  }

  private add(total: Total, row: number): void {
    total.documents += 1;
    total.characters += this.characters[row]!;
    total.bytes += this.bytes[row]!;
  }

  // Which documents a filter removes. Only those of the filter that was moved last are looked at again.
  private marks(filter: Filter, settings: Settings, place: number): Uint8Array {
    const key = JSON.stringify([settings.thresholds[place], settings.random[place]]);
    const known = this.marked[place];
    if (known?.key === key) return known.marks;
    const marks = new Uint8Array(this.documents);
    this.marked[place] = { key, marks };
    for (let row = 0; row < this.documents; ++row) marks[row] = this.decides(filter, settings, place, row) ? 1 : 0;
    return marks;
  }

  private decides(filter: Filter, settings: Settings, place: number, row: number): boolean {
    if (this.fixed(row) === place) return true;
    const values = settings.thresholds[place]!;
    for (let at = 0; at < values.length; ++at) {
      const threshold = filter.thresholds[at]!;
      if (removes(threshold, this.values[threshold.column]![row]!, values[at]!)) return true;
    }
    const expected = settings.random[place];
    if (filter.random === null || expected === null || this.random === null) return false;
    const metric = this.values[filter.random.column]![row]!;
    return metric > 0 && this.random[row]! > expected! / metric;
  }
}
