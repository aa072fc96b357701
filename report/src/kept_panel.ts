// What all filters together keep, in documents, characters and bytes; it stays in sight while thresholds are moved.
import { bar, element } from "./dom.ts";
import type { Model, Source } from "./model.ts";
import type { Words } from "./words.ts";

const measures = ["documents", "characters", "bytes"] as const;

export function keptPanel(model: Model, words: Words): HTMLElement {
  const meters = measures.map((measure) => {
    const now = element("strong", { class: "now", "data-kept": measure });
    const margin = element("span", { class: "margin" });
    const was = element("span", { class: "was" });
    const track = element("span", { class: "track" });
    const meter = element(
      "div",
      { class: "meter" },
      element("span", { class: "name" }, words.say(measure)),
      now,
      track,
      element("span", { class: "notes" }, margin, " ", was),
    );
    return { measure, now, margin, was, track, meter };
  });
  const source = element("p", { class: "source", role: "status" });

  const update = () => {
    const shares = model.shares();
    const exact = model.source === "server" || model.source === "all";
    for (const { measure, now, margin, was, track } of meters) {
      now.textContent = `${exact ? "" : words.say("approximately")}${words.share(shares[measure])}`;
      now.setAttribute("data-share", String(shares[measure]));
      margin.textContent = model.margins ? `± ${words.share(model.margins[measure])}` : "";
      const before = model.before?.[measure] ?? shares[measure];
      was.textContent = before === shares[measure] ? "" : words.say("was", words.share(before));
      track.replaceChildren(bar("kept", 0, shares[measure]));
    }
    source.textContent = sourceText(model, words);
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

function sourceText(model: Model, words: Words): string {
  const all = words.count(model.metrics.documents);
  const says: Record<Source, () => string> = {
    all: () => words.say("fromAll", all),
    server: () => words.say("fromServer", all),
    asking: () => words.say("asking"),
    failed: () => words.say("serverFailed"),
    sample: () => words.say("fromSample", words.count(model.sample.documents), all),
  };
  return says[model.source]();
}
