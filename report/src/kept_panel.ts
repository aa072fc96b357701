// What all filters together keep, in documents, characters and bytes; it stays in sight while thresholds are moved.
import { bar, element } from "./dom.ts";
import type { Model, Source } from "./model.ts";
import type { Words } from "./words.ts";

const measures = ["documents", "characters", "bytes"] as const;

export function keptPanel(model: Model, words: Words): HTMLElement {
  const meters = measures.map((measure) => {
    const now = element("strong", { class: "now", "data-kept": measure });
    const was = element("span", { class: "was" });
    const track = element("span", { class: "track" });
    const meter = element("div", { class: "meter" }, element("span", { class: "name" }, words.say(measure)), now, track, was);
    return { measure, now, was, track, meter };
  });
  const source = element("p", { class: "source", role: "status" });

  const update = () => {
    const shares = model.shares();
    const exact = model.source === "server" || model.source === "all";
    for (const { measure, now, was, track } of meters) {
      now.textContent = `${exact ? "" : words.say("approximately")}${words.share(shares[measure])}`;
      now.setAttribute("data-share", String(shares[measure]));
      was.textContent = shares[measure] === model.before[measure] ? "" : words.say("was", words.share(model.before[measure]));
      track.replaceChildren(bar("kept", 0, shares[measure]));
    }
    source.textContent = sourceText(model, shares.documents, words);
    source.setAttribute("data-source", model.source);
  };
  model.onChange(update);
  update();
  return element(
    "div",
    { class: "kept-panel", role: "group", "aria-label": words.say("keptTogether") },
    element("h3", {}, words.say("keptTogether")),
    element("div", { class: "meters" }, ...meters.map(({ meter }) => meter)),
    source,
  );
}

function sourceText(model: Model, share: number, words: Words): string {
  const all = words.count(model.metrics.documents);
  const says: Record<Source, () => string> = {
    all: () => words.say("fromAll", all),
    server: () => words.say("fromServer", all),
    asking: () => words.say("asking"),
    failed: () => words.say("serverFailed"),
    sample: () => {
      const error = 1.96 * Math.sqrt((share * (1 - share)) / Math.max(model.sample.documents, 1));
      return words.say("fromSample", words.count(model.sample.documents), all, words.share(error));
    },
  };
  return says[model.source]();
}
