// What filters, metrics and reasons stand for, shown where their names are pointed at or focused.
import type { Column, FunnelRow, Report } from "./data.ts";
import { element, newId } from "./dom.ts";
import { filtersInJapanese, metricsInJapanese } from "./filters_ja.ts";
import type { Messages } from "./messages.ts";
import type { Words } from "./words.ts";

// A name with its meaning, if it has one.
export function explained(name: Node | string, meaning: string): HTMLElement {
  if (meaning === "") return element("span", {}, name);
  const id = newId();
  return element(
    "span",
    { class: "explained", tabindex: 0, "aria-describedby": id },
    name,
    element("span", { class: "tip", role: "tooltip", id }, meaning),
  );
}

const own = (of: Record<string, string> | undefined, name: string) =>
  of && Object.hasOwn(of, name) ? of[name]! : undefined;

export function filterMeaning(name: string, of: { meanings?: Report["meanings"] }, words: Words): string {
  const inJapanese = words.language === "ja" ? own(filtersInJapanese, name) : undefined;
  return inJapanese ?? own(of.meanings, name) ?? "";
}

// Metrics are named after what they are, with parameters in brackets or a number behind `#`.
export function metricMeaning(column: Column, words: Words): string {
  const name = column.name.replace(/[(#].*$/s, "");
  return (words.language === "ja" ? own(metricsInJapanese, name) : undefined) ?? column.meaning;
}

// Why `extract` rejects records: by the reason's name, or what stands before its slash.
const reasons: Record<string, keyof Messages> = {
  "warc-type": "whyWarcType",
  truncated: "whyTruncated",
  segmented: "whySegmented",
  "http-status": "whyHttpStatus",
  "empty-body": "whyEmptyBody",
  "media-type": "whyMediaType",
  charset: "whyCharset",
  "language-rapid": "whyLanguageRapid",
  language: "whyLanguage",
  "no-text": "whyNoText",
  "no-content": "whyNoContent",
  "revisit-unresolved": "whyRevisitUnresolved",
  "page-too-large": "whyTooLarge",
  inflation: "whyInflation",
  "too-deep": "whyTooLarge",
  "too-many-attributes": "whyTooLarge",
  "tree-too-large": "whyTooLarge",
  "text-too-large": "whyTooLarge",
  quarantined: "whyQuarantined",
  empty: "whyEmpty",
  duplicates: "whyDuplicates",
  older_captures: "whyOlderCaptures",
  contained: "whyContained",
};

export function reasonMeaning(row: FunnelRow, report: Report, words: Words): string {
  if (typeof row.class === "string") return filterMeaning(row.class, report, words);
  const name = row.label.split("/")[0]!;
  return Object.hasOwn(reasons, name) ? words.say(reasons[name]!) : "";
}
