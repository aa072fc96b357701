// Documents on both sides of a threshold, with what the chain removes of them.
import type { Extract } from "./data.ts";
import { element } from "./dom.ts";
import type { Model } from "./model.ts";
import type { Words } from "./words.ts";

const onEachSide = 3;

export function extractsAround(model: Model, column: number, value: number, words: Words): HTMLElement {
  const values = model.sample.values[column]!;
  const at = Math.fround(value);
  const near = model.metrics.extracts
    .map((extract) => ({ extract, value: values[extract.row]! }))
    .filter((one) => !Number.isNaN(one.value))
    .toSorted((one, other) => Math.abs(one.value - at) - Math.abs(other.value - at));
  const side = (title: string, found: typeof near) =>
    element(
      "section",
      {},
      element("h4", {}, title),
      ...(found.length === 0 ? [element("p", {}, words.say("noExtracts"))] : []),
      ...found.slice(0, onEachSide).map((one) => shown(model, one.extract, one.value, words)),
    );
  const under = near.filter((one) => one.value < at);
  const over = near.filter((one) => one.value >= at);
  return element(
    "div",
    {},
    element("p", { class: "facts" }, words.say("extractsLead")),
    element("div", { class: "sides" }, side(words.say("under"), under), side(words.say("over"), over)),
  );
}

function shown(model: Model, extract: Extract, value: number, words: Words): HTMLElement {
  const remover = model.sample.firstToRemove(extract.row, model.settings);
  const name = (place: number) => `${place + 1}. ${model.metrics.chain[place]?.class ?? words.say("unknown")}`;
  const fate = element(
    "span",
    { class: remover === null ? "fate stays" : "fate goes" },
    remover === null ? words.say("stays") : words.say("removedBy", name(remover)),
  );
  const paragraphs = extract.paragraphs.map(({ text, removedBy }) =>
    removedBy === null
      ? element("p", {}, text)
      : element("p", { class: "gone" }, element("del", {}, text), " ", element("small", {}, words.say("removedBy", name(removedBy)))),
  );
  return element(
    "article",
    { class: "extract", lang: "ja" },
    element("header", {}, element("strong", {}, words.value(value)), " ", fate),
    element("h5", {}, extract.title ?? words.say("untitled")),
    element("p", { class: "address" }, extract.url),
    ...paragraphs,
    extract.cut ? element("p", { class: "cut", lang: words.language }, words.say("isCut")) : null,
  );
}
