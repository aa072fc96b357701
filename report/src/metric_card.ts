// One metric: its distribution, the thresholds of all filters on it, and documents on both sides of one.
import { bars, marginal, placeOf, quantile, type Scale, scaleOf } from "./bins.ts";
import { distribution, resized, withThresholds } from "./charts.ts";
import type { Column, Threshold } from "./data.ts";
import { breakable, element } from "./dom.ts";
import { extractsAround } from "./extracts.ts";
import { metricMeaning } from "./meanings.ts";
import type { Model } from "./model.ts";
import { numberRow } from "./number_row.ts";
import { slider } from "./slider.ts";
import type { Words } from "./words.ts";

const barsShown = 72;

// A threshold, by its place in the chain.
interface Moved {
  filter: number;
  at: number;
  threshold: Threshold;
}

// The same metric in another table.
export interface Beside {
  column: Column;
  name: string;
}

export class MetricCard {
  readonly card = element("article", { class: "card metric" });
  private readonly column: Column;
  private readonly moved: Moved[];
  private readonly updates: (() => void)[] = [];
  private current: Moved | undefined; // the threshold that documents are shown around: the last that was moved
  private showExtracts = () => {};

  constructor(
    private readonly model: Model,
    private readonly place: number,
    beside: Beside | null,
    private readonly words: Words,
  ) {
    this.column = model.metrics.columns[place]!;
    this.moved = model.metrics.chain.flatMap((filter, of) =>
      filter.thresholds.flatMap((threshold, at) => (threshold.column === place ? [{ filter: of, at, threshold }] : [])),
    );
    this.current = this.moved.toSorted((one, two) => this.keeps(one) - this.keeps(two))[0];
    this.card.append(
      element("h3", {}, breakable(this.column.name)),
      element("p", { class: "meaning" }, metricMeaning(this.column, words)),
    );
    const shown = [{ column: this.column, name: model.metrics.name }, ...(beside ? [beside] : [])];
    this.draw(shown.filter(({ column }) => column.edges.length > 0));
    const update = () => {
      for (const one of this.updates) one();
    };
    model.onChange(update);
    update();
  }

  private draw(shown: Beside[]): void {
    if (shown.length === 0) {
      this.card.append(element("p", { class: "facts" }, facts(this.column, this.words).join(" · ")));
      return;
    }
    const values = this.moved.map(({ threshold }) => threshold.value);
    const scale = scaleOf(
      shown.map(({ column }) => column),
      values,
    );
    const overlay = element("div", { class: "overlay" });
    const rows = element("div", { class: "thresholds" });
    for (const one of this.moved) this.addThreshold(one, scale, overlay, rows);
    this.addRandom(rows);
    this.card.append(this.chart(shown, scale, overlay), ...legend(shown.map(({ name }) => name)));
    const said = [...facts(this.column, this.words), this.words.say("perBar")];
    if (scale.type !== "linear") said.push(this.words.say("logarithmic"));
    this.card.append(element("p", { class: "facts" }, said.join(" · ")));
    if (rows.childElementCount > 0) this.card.append(rows);
    if (this.moved.length > 0 && this.model.metrics.extracts.length > 0) this.addExtracts();
  }

  private chart(shown: Beside[], scale: Scale, overlay: HTMLElement): HTMLElement {
    const layers = shown.map(({ column }) => bars(column, scale, barsShown));
    const label = `${this.words.say("distribution", this.column.name)}: ${facts(this.column, this.words).join(", ")}`;
    const thresholds = () =>
      this.moved
        .filter((one) => this.keeps(one) < 1)
        .map((one) => ({ tag: String(one.filter + 1), value: this.valueOf(one) }));
    const chart = resized(
      (width) => distribution(layers, scale, width, label, this.words),
      this.column.name,
      this.words,
      (drawn) => withThresholds(drawn, thresholds(), scale),
    );
    chart.append(overlay);
    return chart;
  }

  private valueOf(one: Moved): number {
    return this.model.settings.thresholds[one.filter]![one.at]!;
  }

  private keeps(one: Moved): number {
    return marginal(this.column, one.threshold, this.valueOf(one), "documents").share;
  }

  private addThreshold(one: Moved, scale: Scale, overlay: HTMLElement, rows: HTMLElement): void {
    const { words } = this;
    const low = one.threshold.removes === "<";
    const parameter = `${this.model.metrics.chain[one.filter]!.class} ${one.threshold.parameter}`;
    const name = words.say(
      "threshold",
      String(one.filter + 1),
      parameter,
      words.say(({ "<": "removesBelow", ">": "removesAbove", ">=": "removesFrom" } as const)[one.threshold.removes]),
    );
    const value = () => this.valueOf(one);
    const set = (to: number) => {
      this.current = one;
      this.model.setThreshold(one.filter, one.at, to);
    };
    const shade = element("div", { class: "shade" });
    const { handle, update } = slider({
      label: name,
      tag: String(one.filter + 1),
      scale,
      value,
      set,
      text: (now) => words.value(now),
    });
    handle.addEventListener("focus", () => {
      this.current = one;
      this.showExtracts();
    });
    const says = () =>
      this.keeps(one) === 1 ? { name: words.say("noBound", name), result: "" } : { name, result: this.keptAlone(one) };
    const row = numberRow({ name, value, set, says });
    overlay.append(shade, handle);
    rows.append(row.row);
    this.updates.push(update, row.update, () => {
      const here = placeOf(scale, value());
      shade.style.setProperty("--from", String(low ? 0 : here));
      shade.style.setProperty("--to", String(low ? here : 1));
      handle.classList.toggle("open", this.keeps(one) === 1);
    });
  }

  private keptAlone(one: Moved): string {
    const { words } = this;
    const says = { documents: "ofDocuments", characters: "ofCharacters", bytes: "ofBytes" } as const;
    const shares = (["documents", "characters", "bytes"] as const).map((counted) => {
      const { share, exact } = marginal(this.column, one.threshold, this.valueOf(one), counted);
      return words.say(says[counted], `${exact ? "" : words.say("approximately")}${words.share(share)}`);
    });
    return `${words.say("alone")} ${shares.join(" · ")}`;
  }

  // Filters that keep documents with a probability have no place on the axis.
  private addRandom(rows: HTMLElement): void {
    for (const [filter, { random, class: name }] of this.model.metrics.chain.entries()) {
      if (random?.column !== this.place) continue;
      const value = () => this.model.settings.random[filter]!;
      const says = () =>
        this.words.say(
          "expected",
          String(filter + 1),
          `${name} ${random.parameter}`,
          this.words.value(value()),
          this.column.name,
        );
      const row = numberRow({
        name: `${filter + 1}. ${name} ${random.parameter}`,
        value,
        set: (to) => this.model.setRandom(filter, to),
        says: () => ({ name: says(), result: "" }),
      });
      rows.append(row.row);
      this.updates.push(row.update);
    }
  }

  private addExtracts(): void {
    const details = element("details", { class: "around" });
    const summary = element("summary");
    this.showExtracts = () => {
      const value = this.valueOf(this.current!);
      summary.textContent = this.words.say("extracts", this.column.name, this.words.value(value));
      if (details.open) details.replaceChildren(summary, extractsAround(this.model, this.place, value, this.words));
    };
    details.append(summary);
    details.addEventListener("toggle", () => {
      this.card.classList.toggle("wide", details.open);
      this.showExtracts();
    });
    this.updates.push(this.showExtracts);
    this.card.append(details);
  }
}

function facts(column: Column, words: Words): string[] {
  const said: string[] = [];
  const median = quantile(column, 0.5);
  const [least, most] = [column.edges[0], column.edges.at(-1)];
  if (least !== undefined && least === most) said.push(words.say("sameValue", words.value(least)));
  else if (least !== undefined && most !== undefined)
    said.push(words.say("range", words.value(least), words.value(most)));
  if (median !== undefined && least !== most) said.push(words.say("median", words.value(median)));
  if (column.nan > 0) said.push(words.say("noNumber", words.count(column.nan)));
  return said;
}

function legend(names: string[]): HTMLElement[] {
  if (names.length < 2) return [];
  return [
    element(
      "p",
      { class: "legend" },
      ...names.map((name, at) => element("span", { class: at === 0 ? "own" : "other" }, name)),
    ),
  ];
}
