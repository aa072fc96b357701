// The chain as it is now: what each filter removes, and its text to copy.
import { chainPieces, chainText } from "./chain.ts";
import { bar, breakable, button, element, withCode } from "./dom.ts";
import { explained, filterMeaning } from "./meanings.ts";
import type { Model } from "./model.ts";
import type { Words } from "./words.ts";

export function chainPanel(model: Model, words: Words): HTMLElement {
  const text = element("pre", { class: "hocon", tabindex: 0, "aria-label": words.say("chain") });
  const said = element("span", { role: "status" });
  const copy = button(words.say("copy"), () => void copyChain(), { class: "primary" });
  async function copyChain(): Promise<void> {
    try {
      await navigator.clipboard.writeText(chainText(model.metrics.chain, model.settings));
      said.textContent = words.say("copied");
    } catch {
      getSelection()?.selectAllChildren(text);
      said.textContent = words.say("copyFailed");
    }
  }
  const reset = button(words.say("reset"), () => model.reset());
  const removed = element("ol", { class: "first-removed", "aria-label": words.say("firstRemoved") });

  const update = () => {
    said.textContent = "";
    text.replaceChildren("filters: [\n");
    for (const pieces of chainPieces(model.metrics.chain, model.settings)) {
      text.append("  ", ...pieces.map((piece) => (piece.changed ? element("mark", {}, piece.text) : piece.text)), "\n");
    }
    text.append("]\n");
    const all = model.source === "server" ? model.metrics.total.documents : model.sample.documents;
    removed.replaceChildren(
      ...model.metrics.chain.map((filter, place) => {
        const share = all > 0 ? (model.kept.removed[place]?.documents ?? 0) / all : 0;
        const meaning = filterMeaning(filter.class, model, words);
        const name = element("span", { class: "name" }, explained(breakable(filter.class), meaning));
        return element(
          "li",
          {},
          name,
          element("span", { class: "track" }, bar("gone", 0, share)),
          element("span", { class: "number" }, words.share(share)),
        );
      }),
    );
  };
  model.onChange(update);
  update();
  return element(
    "div",
    { class: "card chain" },
    element("h3", {}, words.say("chain")),
    element("p", { class: "lead" }, withCode(words.say("chainLead"))),
    element("p", { class: "actions" }, copy, reset, said),
    text,
    element("h4", {}, words.say("firstRemoved")),
    removed,
  );
}
