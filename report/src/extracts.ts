// Documents on both sides of a threshold, with what the chain removes of them.
import { element } from "./dom.ts";
import { extractArticle } from "./extract_article.ts";
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
      ...found
        .slice(0, onEachSide)
        .map((one) => extractArticle(model, one.extract, { head: words.value(one.value), level: "h5" }, words)),
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
