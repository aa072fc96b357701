// One metric: its distribution, the thresholds of all filters on it, and documents on both sides of one.
import { bars, marginal, placeOf, quantile, scaleOf } from "./bins.ts";
import { distribution, resized } from "./charts.ts";
import type { Column, Threshold } from "./data.ts";
import { element } from "./dom.ts";
import { extractsAround } from "./extracts.ts";
import type { Model } from "./model.ts";
import { slider } from "./slider.ts";
import type { Words } from "./words.ts";

const barsShown = 72;

interface Moved {
  filter: number;
  at: number;
  threshold: Threshold;
}

// The thresholds on a column, in the order of the chain.
const thresholdsOn = (model: Model, column: number): Moved[] =>
  model.metrics.chain.flatMap((filter, place) =>
    filter.thresholds.map((threshold, at) => ({ filter: place, at, threshold })).filter(({ threshold }) => threshold.column === column),
  );

export function metricCard(model: Model, place: number, other: Column | null, otherName: string, words: Words): HTMLElement {
  const column = model.metrics.columns[place]!;
  const moved = thresholdsOn(model, place);
  const title = element("h4", {}, column.name);
  const card = element("article", { class: "card metric" }, title, element("p", { class: "meaning" }, column.meaning));
  const shown = [column, ...(other ? [other] : [])].filter((one) => one.edges.length > 1);
  if (shown.length === 0) {
    card.append(element("p", {}, words.say("noNumber", words.count(column.nan))));
    return card;
  }
  const scale = scaleOf(shown, moved.map(({ threshold }) => threshold.value));
  const layers = shown.map((one, at) => ({ bars: bars(one, scale, barsShown), label: at === 0 ? model.metrics.name : otherName }));
  const label = `${words.say("distribution", column.name)}. ${facts(column, words).join(", ")}`;
  const chart = resized((width) => distribution(layers, scale, width, label, words));
  const overlay = element("div", { class: "overlay" });
  chart.append(overlay);
  const said = [...facts(column, words), ...(scale.type === "linear" ? [] : [words.say("logarithmic")])];
  card.append(chart, ...legend(layers.map((layer) => layer.label)), element("p", { class: "facts" }, said.join(" · ")));

  let current = moved[0];
  const updates: (() => void)[] = [];
  const rows = element("div", { class: "thresholds" });
  for (const one of moved) {
    const value = () => model.settings.thresholds[one.filter]![one.at]!;
    const set = (to: number) => {
      current = one;
      model.setThreshold(one.filter, one.at, to);
    };
    const says = words.say(one.threshold.removes.startsWith("<") ? "removesBelow" : "removesAbove");
    const filter = model.metrics.chain[one.filter]!;
    const name = words.say("threshold", String(one.filter + 1), `${filter.class} ${one.threshold.parameter}`, says);
    const shade = element("div", { class: "shade" });
    const { handle, update } = slider({ label: name, tag: String(one.filter + 1), scale, value, set, text: (now) => words.value(now) });
    handle.addEventListener("focus", () => {
      if (current === one) return;
      current = one;
      showExtracts();
    });
    overlay.append(shade, handle);
    const row = thresholdRow(name, column, one.threshold, value, set, words);
    rows.append(row.row);
    updates.push(update, row.update, () => {
      const here = placeOf(scale, value());
      const [from, to] = one.threshold.removes.startsWith("<") ? [0, here] : [here, 1];
      shade.style.setProperty("--from", String(from));
      shade.style.setProperty("--to", String(to));
    });
  }
  for (const [filter, { random, class: name }] of model.metrics.chain.entries()) {
    if (random?.column === place) rows.append(randomRow(model, filter, `${name} ${random.parameter}`, column.name, updates, words));
  }
  if (rows.childElementCount > 0) card.append(rows);

  const details = element("details", { class: "around" });
  const summary = element("summary");
  const showExtracts = () => {
    if (!current) return;
    const value = model.settings.thresholds[current.filter]![current.at]!;
    summary.textContent = words.say("extracts", column.name, words.value(value));
    if (details.open) details.replaceChildren(summary, extractsAround(model, place, value, words));
  };
  if (moved.length > 0 && model.metrics.extracts.length > 0) {
    details.append(summary);
    details.addEventListener("toggle", () => {
      card.classList.toggle("wide", details.open);
      showExtracts();
    });
    updates.push(showExtracts);
    card.append(details);
  }

  const update = () => {
    for (const one of updates) one();
  };
  model.onChange(update);
  update();
  return card;
}

function facts(column: Column, words: Words): string[] {
  const median = quantile(column, 0.5);
  const least = column.edges[0]!;
  const most = column.edges.at(-1)!;
  const said = least === most ? [words.say("sameValue", words.value(least))] : [words.say("range", words.value(least), words.value(most))];
  if (median !== undefined && least !== most) said.push(words.say("median", words.value(median)));
  if (column.nan > 0) said.push(words.say("noNumber", words.count(column.nan)));
  return said;
}

function legend(labels: string[]): HTMLElement[] {
  if (labels.length < 2) return [];
  return [element("p", { class: "legend" }, ...labels.map((label, at) => element("span", { class: at === 0 ? "own" : "other" }, label)))];
}

// A number that can be typed.
function numberField(label: string, value: () => number, set: (value: number) => void) {
  const input = element("input", { type: "text", inputmode: "decimal", size: 8, "aria-label": label, autocomplete: "off" });
  const update = () => {
    if (document.activeElement !== input || Number(input.value) !== value()) input.value = String(value());
  };
  input.addEventListener("change", () => {
    const typed = Number(input.value);
    if (input.value.trim() !== "" && Number.isFinite(typed)) set(typed);
    input.value = String(value());
  });
  return { input, update };
}

function thresholdRow(
  name: string,
  column: Column,
  threshold: Threshold,
  value: () => number,
  set: (value: number) => void,
  words: Words,
) {
  const { input, update } = numberField(name, value, set);
  const alone = element("span", { class: "alone" });
  const row = element("div", { class: "threshold" }, element("span", { class: "name" }, name), input, alone);
  const say = (counted: "documents" | "characters" | "bytes", message: "ofDocuments" | "ofCharacters" | "ofBytes") => {
    const { share, exact } = marginal(column, threshold, value(), counted);
    return words.say(message, `${exact ? "" : words.say("approximately")}${words.share(share)}`);
  };
  const updateRow = () => {
    update();
    const shares = [say("documents", "ofDocuments"), say("characters", "ofCharacters"), say("bytes", "ofBytes")];
    alone.textContent = `${words.say("alone")} ${shares.join(" · ")}`;
  };
  return { row, update: updateRow };
}

function randomRow(model: Model, filter: number, parameter: string, metric: string, updates: (() => void)[], words: Words): HTMLElement {
  const value = () => model.settings.random[filter]!;
  const label = words.say("threshold", String(filter + 1), parameter, metric);
  const { input, update } = numberField(label, value, (to) => model.setRandom(filter, to));
  const says = element("span", { class: "name" });
  updates.push(update, () => {
    says.textContent = words.say("expected", String(filter + 1), parameter, words.value(value()), metric);
  });
  return element("div", { class: "threshold" }, says, input);
}
