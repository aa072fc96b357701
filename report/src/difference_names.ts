// What the kinds of differences and the reasons for them are called.
import type { Diff, DiffKind, Report, Why } from "./data.ts";
import { filterMeaning } from "./meanings.ts";
import { shortNames } from "./short_names.ts";
import type { Words } from "./words.ts";

// Of both corpora.
export function namesOf(diff: Diff): { a: string; b: string } {
  const [a, b] = shortNames([diff.a, diff.b]);
  return { a: a!, b: b! };
}

export function kindName(kind: DiffKind, names: { a: string; b: string }, words: Words): string {
  if (kind === "onlyA") return words.say("onlyIn", names.a);
  if (kind === "onlyB") return words.say("onlyIn", names.b);
  return words.say(kind === "equal" ? "equalTexts" : "changedTexts");
}

// Where documents were lost: by which step and for which reason, as far as it is known.
export function reasonName(reason: Why, words: Words): string {
  if (reason.output === null) return words.say("neverThere");
  const output = reason.output.split("/").at(-1) || reason.output;
  if (reason.reason === null) return words.say("lostIn", output);
  const isDuplicate = reason.stage === "minhash";
  return words.say("removedIn", output, isDuplicate ? words.say("duplicate") : reason.reason);
}

export function whyMeaning(reason: Why, report: Report, words: Words): string {
  if (reason.output === null) return words.say("whyNeverThere");
  if (reason.filter !== null) return filterMeaning(reason.filter, report, words);
  if (reason.reason !== null) return reason.stage === "minhash" ? words.say("whyRemovedByMinhash") : "";
  return words.say(reason.stage === "filter" || reason.stage === "clean" ? "whyLostInFilter" : "whyLost");
}
