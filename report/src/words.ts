// Words and numbers in the language that is chosen.
import { type Language, languages, type Messages } from "./messages.ts";

const ownWords = new Map<string, keyof Messages>([
  ["WARC records", "warcRecords"],
  ["older_captures", "olderCaptures"],
  ["contained", "containedInOthers"],
  ...(["documents", "duplicates", "empty", "kept", "paragraphs", "passed", "quarantined", "urls"] as const).map(
    (word): [string, keyof Messages] => [word, word],
  ),
]);

const leastShare = 1e-4; // that is shown as a number

export class Words {
  private readonly locale: string;
  private readonly messages: Messages;
  private readonly formats = new Map<string, Intl.NumberFormat>();

  constructor(readonly language: Language) {
    this.locale = language;
    this.messages = languages[language];
  }

  say(message: keyof Messages, ...values: string[]): string {
    return this.messages[message].replace(/\{(\d)\}/g, (_, place) => values[Number(place)] ?? "");
  }

  // A name that the data has, which may be one of the program's own words.
  name(text: string): string {
    const own = ownWords.get(text);
    return own ? this.messages[own] : text;
  }

  count(value: number | null): string {
    return value === null ? this.say("unknown") : this.format({ maximumFractionDigits: 0 }, value);
  }

  short(value: number): string {
    return this.format({ notation: "compact", maximumSignificantDigits: 3 }, value);
  }

  // None is shown as nothing or as all that is not.
  share(value: number): string {
    if (!Number.isFinite(value)) return this.say("unknown");
    if (value > 0 && value < leastShare) return `<${this.percent(leastShare, 2)}`;
    if (value < 1 && value > 1 - leastShare) return `>${this.percent(1 - leastShare, 2)}`;
    return this.percent(value, value === 0 || value === 1 ? 0 : value < 0.001 ? 3 : value > 0.999 && value < 1 ? 2 : 1);
  }

  private percent(value: number, digits: number): string {
    return this.format({ style: "percent", minimumFractionDigits: digits, maximumFractionDigits: digits }, value);
  }

  bytes(value: number | null): string {
    if (value === null) return this.say("unknown");
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    const unit = Math.min(units.length - 1, value < 1024 ? 0 : Math.floor(Math.log2(value) / 10));
    return `${this.format({ maximumFractionDigits: unit === 0 ? 0 : 1 }, value / 1024 ** unit)} ${units[unit]}`;
  }

  // A value of a metric.
  value(value: number): string {
    const size = Math.abs(value);
    if (size !== 0 && (size >= 1e7 || size < 1e-4)) return value.toExponential(2).replace("e+", "e");
    return this.format({ maximumSignificantDigits: Number.isInteger(value) ? 8 : 4 }, value);
  }

  private format(options: Intl.NumberFormatOptions, value: number): string {
    const key = JSON.stringify(options);
    let format = this.formats.get(key);
    if (!format) this.formats.set(key, (format = new Intl.NumberFormat(this.locale, options)));
    return format.format(value);
  }
}
