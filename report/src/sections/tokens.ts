// Tokens of each grade.
import type { Report } from "../data.ts";
import { breakable, element, table } from "../dom.ts";
import type { Words } from "../words.ts";

const ratio = (of: number | null, to: number | null, words: Words) =>
  of === null || to === null || to === 0 ? words.say("unknown") : words.value(of / to);

export function tokensSection(report: Report, words: Words): HTMLElement | null {
  if (report.tokens.length === 0) return null;
  const texts = ["tokens", "tokensPerByte", "charactersPerToken"] as const;
  const heads = texts.map((text) => ({ text: words.say(text), number: true }));
  const rows = report.tokens.map((one) => [
    element(
      "span",
      {},
      breakable(one.name),
      " ",
      element("small", {}, words.say("countDocuments", words.count(one.documents))),
    ),
    words.count(one.tokens),
    ratio(one.tokens, one.bytes, words),
    ratio(one.characters, one.tokens, words),
  ]);
  const made = table([{ text: words.say("name") }, ...heads], rows, words.say("tokensTitle"));
  made.body.append(...made.rows);
  return element(
    "section",
    {},
    element("h2", {}, words.say("tokensTitle")),
    element("p", { class: "lead" }, words.say("tokensLead")),
    element("div", { class: "card" }, made.whole),
  );
}
