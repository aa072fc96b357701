// A chain whose thresholds are moved, and what it keeps: of the sample at once; exactly, where a server is asked, soon after.
import type { Metrics, Report, Threshold, Total } from "./data.ts";
import type { MovedValues } from "./place.ts";
import { type Kept, type KeptOfSample, Sample, type Settings, settingsOf } from "./sample.ts";

// The parts of the page that show what a model keeps.
export type Listening = "thresholds" | "reader";
export type Source = "sample" | "all" | "asking" | "server" | "failed";

const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0);
const patience = 100; // milliseconds without a move before the server is asked

// Whether every document is removed where the first is above the second: bounds of one metric, or of an average and of the
// greatest of what it is made of.
const isRange = (low: Threshold, high: Threshold) =>
  low.column === high.column ||
  (low.parameter === "min_avg_sentence_length" && high.parameter === "max_max_sentence_length");

export class Model {
  readonly sample: Sample;
  margins: Total | null = null; // of the shares; null where they are exact
  settings: Settings;
  kept!: Kept;
  // Shares with the chain as it was: of the sample, and of all, where the server has told.
  private readonly beforeOfSample: Total;
  private beforeOfAll: Total | null = null;
  source: Source = "sample";
  private readonly listeners: Record<Listening, (() => void)[]> = { thresholds: [], reader: [] };
  private waiting = 0;
  private asked: AbortController | null = null;

  constructor(
    readonly metrics: Metrics,
    private readonly place: number, // among the tables of metrics
    private readonly serve: Report["serve"],
    readonly meanings: Report["meanings"],
    private readonly onMove: () => void, // a value was set
  ) {
    this.sample = new Sample(metrics);
    this.settings = settingsOf(metrics.chain);
    this.count();
    this.beforeOfSample = this.shares();
  }

  // What stayed with the chain as it was, counted as what stays is now; null where that is not known.
  get before(): Total | null {
    return this.source === "server" ? this.beforeOfAll : this.beforeOfSample;
  }

  // Those of this part of the page are drawn no more.
  forget(part: Listening): void {
    this.listeners[part].length = 0;
  }

  onChange(listener: () => void, part: Listening = "thresholds"): void {
    this.listeners[part].push(listener);
  }

  // Bounds that would remove every document do not pass each other: the program would refuse them.
  setThreshold(filter: number, at: number, value: number): void {
    const thresholds = this.metrics.chain[filter]!.thresholds;
    const values = this.settings.thresholds[filter]!;
    const under = (place: number) => thresholds[place]!.removes === "<";
    for (let other = 0; other < values.length; ++other) {
      if (under(other) === under(at)) continue;
      const [low, high] = under(at) ? [at, other] : [other, at];
      if (!isRange(thresholds[low]!, thresholds[high]!)) continue;
      value = under(at) ? Math.min(value, values[other]!) : Math.max(value, values[other]!);
    }
    const { least, most, integer } = thresholds[at]!;
    value = Math.min(most ?? Infinity, Math.max(least ?? -Infinity, integer ? Math.round(value) : value));
    if (value === values[at]) return;
    values[at] = value;
    this.move();
  }

  setRandom(filter: number, value: number): void {
    this.settings.random[filter] = Math.max(0, value);
    this.move();
  }

  reset(): void {
    this.settings = settingsOf(this.metrics.chain);
    this.move();
  }

  // The values that are not the chain's, by their names in the address.
  moved(): MovedValues {
    const moved: MovedValues = new Map();
    const { thresholds, random } = this.settings;
    for (const [filter, { thresholds: bounds, random: chance }] of this.metrics.chain.entries()) {
      for (const [at, { parameter, value }] of bounds.entries()) {
        const now = thresholds[filter]![at]!;
        if (now !== value) moved.set(this.nameOf(filter, parameter), now);
      }
      if (chance && random[filter] !== chance.value) moved.set(this.nameOf(filter, chance.parameter), random[filter]!);
    }
    return moved;
  }

  // The chain's values but for these. Twice, since a bound may be held up by another that moves behind it.
  moveTo(moved: MovedValues): void {
    this.reset();
    for (let time = 0; time < 2; ++time) {
      for (const [filter, { thresholds, random }] of this.metrics.chain.entries()) {
        for (const [at, { parameter }] of thresholds.entries()) {
          const value = moved.get(this.nameOf(filter, parameter));
          if (value !== undefined) this.setThreshold(filter, at, value);
        }
        const chance = random && moved.get(this.nameOf(filter, random.parameter));
        if (typeof chance === "number") this.setRandom(filter, chance);
      }
    }
  }

  private nameOf(filter: number, parameter: string): string {
    return [this.place + 1, filter + 1, this.metrics.chain[filter]!.class, parameter].join(".");
  }

  private move(): void {
    this.count();
    this.onMove();
  }

  // What stays, as shares of the input.
  shares(): Total {
    const all = this.source === "server" ? this.metrics.total : this.sample.all;
    return {
      documents: share(this.kept.documents, all.documents),
      characters: share(this.kept.characters, all.characters),
      bytes: share(this.kept.bytes, all.bytes),
    };
  }

  private count(): void {
    const kept: KeptOfSample = this.sample.kept(this.settings);
    this.kept = kept;
    this.margins = this.sample.whole ? null : kept.margins;
    this.source = this.sample.whole ? "all" : "sample";
    if (this.serve !== null) {
      this.source = "asking";
      this.asked?.abort();
      clearTimeout(this.waiting);
      this.waiting = window.setTimeout(() => void this.ask(this.serve!.token), patience);
    }
    this.tell();
  }

  private async ask(token: string): Promise<void> {
    const asked = new AbortController();
    this.asked = asked;
    try {
      const answer = await fetch(`kept?token=${encodeURIComponent(token)}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ metrics: this.place, ...this.settings }),
        signal: asked.signal,
      });
      if (!answer.ok) throw new Error(answer.statusText);
      this.kept = (await answer.json()) as Kept;
      this.source = "server";
      this.margins = null;
      if (JSON.stringify(this.settings) === JSON.stringify(settingsOf(this.metrics.chain))) {
        this.beforeOfAll = this.shares();
      }
    } catch {
      if (asked.signal.aborted) return;
      this.source = "failed";
    }
    this.tell();
  }

  private tell(): void {
    for (const listener of Object.values(this.listeners).flat()) listener();
  }
}
