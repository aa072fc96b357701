// A document of the page, with what the chain removes of it.
import { breakable, element } from "./dom.ts";
import type { Extract } from "./data.ts";
import { explained, filterMeaning } from "./meanings.ts";
import type { Model } from "./model.ts";
import type { Words } from "./words.ts";

// `head` stands before what becomes of it; its title is a heading of this level.
export function extractArticle(
  model: Model,
  extract: Extract,
  { head, level }: { head: string; level: "h3" | "h5" },
  words: Words,
): HTMLElement {
  const fate = model.sample.fate(extract.row, model.settings);
  const by = (place: number) => removedBy(model, place, words);
  const says =
    typeof fate === "number"
      ? by(fate)
      : words.say(({ fixed: "removedFixed", empty: "nothingLeft", stays: "stays" } as const)[fate]);
  const paragraphs = extract.paragraphs.map(({ text, removedBy: place }) =>
    place === null
      ? element("p", { lang: "ja" }, text)
      : element("p", { class: "gone" }, element("del", { lang: "ja" }, text), " ", element("small", {}, by(place))),
  );
  return element(
    "article",
    { class: "extract", tabindex: 0 },
    element(
      "header",
      {},
      head === "" ? null : element("strong", {}, head),
      " ",
      element("span", { class: `fate ${fate === "stays" ? "stays" : "goes"}` }, says),
    ),
    element(level, extract.title === null ? {} : { lang: "ja" }, extract.title ?? words.say("untitled")),
    element("p", { class: "address" }, extract.url),
    ...paragraphs,
    extract.cut ? element("p", { class: "cut" }, words.say("isCut")) : null,
  );
}

function removedBy(model: Model, place: number, words: Words): Node {
  const name = model.metrics.chain[place]?.class;
  const said = words.say("removedBy", `${place + 1}. ${name ?? words.say("unknown")}`);
  return name === undefined
    ? document.createTextNode(said)
    : explained(breakable(said), filterMeaning(name, model, words));
}
