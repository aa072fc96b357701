// A document that differs between two corpora: its paragraphs, what was removed struck through, what was added marked.
import { diffChars } from "diff";
import type { DiffedDocument, DiffLine, Report, Why } from "./data.ts";
import { reasonName, whyMeaning } from "./difference_names.ts";
import { breakable, element } from "./dom.ts";
import { explained } from "./meanings.ts";
import type { Messages } from "./messages.ts";
import type { Words } from "./words.ts";

const leastCommon = 0.5; // of two paragraphs that are shown as one that changed
const longestCompared = 2000; // characters

export function diffArticle(
  one: DiffedDocument,
  kind: "changed" | "onlyA" | "onlyB",
  names: { a: string; b: string },
  report: Report,
  words: Words,
): HTMLElement {
  const head = one.why === null ? words.say("changedFrom", names.b, names.a) : why(one.why, kind, names, report, words);
  return element(
    "article",
    { class: "extract diff", tabindex: 0 },
    element("header", {}, element("span", { class: "fate" }, head)),
    element("h4", one.title === null ? {} : { lang: "ja" }, one.title ?? words.say("untitled")),
    element("p", { class: "address" }, one.url === "" ? one.id : one.url),
    oneOfSeveral(one, report, words),
    duplicateOf(one, words),
    ...(kind === "changed" ? changedLines(one.lines, words) : one.lines.map((line) => paragraph(line.text ?? ""))),
    one.cut ? element("p", { class: "cut" }, words.say("isCut")) : null,
  );
}

function why(
  reason: Why,
  kind: "changed" | "onlyA" | "onlyB",
  names: { a: string; b: string },
  report: Report,
  words: Words,
): HTMLElement {
  const missing = words.say("notIn", kind === "onlyA" ? names.b : names.a, reasonName(reason, words));
  return explained(breakable(missing), whyMeaning(reason, report, words));
}

function oneOfSeveral(one: DiffedDocument, report: Report, words: Words): HTMLElement | null {
  if (one.documents === 1) return null;
  const byUrl = report.diff?.matchedBy === "url";
  const text = (byUrl ? one.url : one.id) === "" ? "oneOfText" : byUrl ? "oneOfUrl" : "oneOfId";
  return element("p", { class: "address" }, words.say(text, words.count(one.documents)));
}

// What is said of a duplicate of each reason that `minhash` gives.
const duplicates: Record<string, keyof Messages> = {
  text: "duplicateOf",
  url: "olderCaptureOf",
  contained: "containedIn",
};

function duplicateOf({ why: reason }: DiffedDocument, words: Words): HTMLElement | null {
  if (!reason?.duplicateOf) return null;
  const similarity = reason.similarity ?? null;
  const name = reason.duplicateReason ?? "text";
  const message = Object.hasOwn(duplicates, name) ? duplicates[name]! : "duplicateOf";
  return element(
    "p",
    { class: "address" },
    words.say(message, reason.duplicateOf, similarity === null ? words.say("unknown") : words.value(similarity)),
  );
}

const paragraph = (...text: (Node | string)[]) => element("p", { lang: "ja" }, ...text);

// Of each run of removed paragraphs and as many added ones, those that are alike are shown as one that changed.
function changedLines(lines: DiffLine[], words: Words): Node[] {
  const made: Node[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at]!;
    if (line.skipped !== undefined) {
      made.push(element("p", { class: "cut" }, words.say("skipped", words.count(line.skipped))));
      ++at;
      continue;
    }
    const removed = run(lines, at, "b");
    const added = run(lines, at + removed.length, "a");
    if (removed.length + added.length === 0) {
      made.push(paragraph(line.text ?? ""));
      ++at;
      continue;
    }
    made.push(...changes(removed, added));
    at += removed.length + added.length;
  }
  return made;
}

function run(lines: DiffLine[], begin: number, kind: "a" | "b"): string[] {
  let end = begin;
  while (lines[end]?.kind === kind) ++end;
  return lines.slice(begin, end).map((line) => line.text ?? "");
}

function changes(removed: string[], added: string[]): Node[] {
  const pairs = removed.length === added.length ? removed.map((text, at) => changed(text, added[at]!)) : [];
  if (pairs.length > 0 && pairs.every((pair) => pair !== null)) return pairs;
  return [
    ...removed.map((text) => paragraph(element("del", {}, text))),
    ...added.map((text) => paragraph(element("ins", {}, text))),
  ];
}

// A paragraph with what became of it; null where the two have little in common.
function changed(from: string, to: string): HTMLElement | null {
  if (Math.max(from.length, to.length) > longestCompared) return null;
  const parts = diffChars(from, to);
  const common = parts.filter((part) => !part.added && !part.removed).reduce((sum, part) => sum + part.value.length, 0);
  if (common < leastCommon * Math.max(from.length, to.length)) return null;
  return paragraph(
    ...parts.map((part) =>
      part.added ? element("ins", {}, part.value) : part.removed ? element("del", {}, part.value) : part.value,
    ),
  );
}
