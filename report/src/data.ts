// The data that the program lays into the page. A number that is not known is null.

type Known = number | null;

export interface Stage {
  name: string;
  stage: string;
  seconds: Known;
  threads: Known;
  peakMemory: Known; // bytes
}

export type Measure = "documents" | "paragraphs" | "characters" | "bytes";

export interface FunnelRow extends Record<Measure, Known> {
  label: string;
  stage: number;
  kind: "input" | "output" | "removed" | "rejected";
  class?: string; // of the filter that removed
  records: Known;
}

export interface Column {
  name: string;
  meaning: string;
  sum: number;
  nan: number;
  quantiles: { at: number[]; values: number[] };
  edges: number[]; // of bins, which are [x, y), the last one [x, y]: the greatest value alone, where it is there twice
  documents: number[];
  characters: number[];
  bytes: number[];
}

export interface Threshold {
  parameter: string;
  column: number;
  removes: "<" | ">" | ">=";
  value: number;
  least: Known;
  most: Known;
  integer: boolean;
  float: boolean; // the value is rounded to 32 bits before
  single: boolean; // the metric is
  margin: number; // is added to the metric before
}

export interface Filter {
  class: string;
  parameters: Record<string, unknown>;
  kind: "documents" | "paragraphs" | "rewrites";
  thresholds: Threshold[];
  random: { parameter: string; column: number; value: number } | null;
  fixed: boolean;
}

export interface Extract {
  row: number; // in the sample
  docId: string;
  url: string;
  title: string | null;
  cut: boolean;
  paragraphs: { path: string; text: string; removedBy: number | null }[];
}

// Arrays are little-endian, in base64.
export interface PackedSample {
  documents: number;
  of: number;
  characters: string;
  bytes: string;
  allCharacters: string;
  allBytes: string;
  random: string | null;
  fixedRemoved: string | null; // a place in the chain for each document, as nothingFixed and laterFixed say
  values: string[];
}

export const nothingFixed = 255; // no filter removes the document by what can not be moved
export const laterFixed = 254; // one does that has this place, or a later one where the chain is so long

export interface Total {
  documents: number;
  characters: number;
  bytes: number;
}

export interface Metrics {
  name: string;
  documents: number;
  total: Total;
  columns: Column[];
  chain: Filter[];
  sample: PackedSample;
  extracts: Extract[];
}

export interface Variant {
  text: string | null;
  exactFreq: number;
  nearFreq: number;
}

export interface Group {
  hash: string;
  occurrences: number;
  members: number;
  hosts: Known;
  hostsAreEstimates?: boolean;
  variants: Variant[];
}

export interface Groups {
  name: string;
  groups: number;
  paragraphs: number;
  sizes: { least: number; most: number; groups: number; occurrences: number }[];
  largest: Group[];
  frequent: (Variant & { hosts: Known; hostsAreEstimates?: boolean; documents: Known })[];
}

export interface Named {
  name: string;
  documents: number;
}

export interface Corpus {
  name: string;
  documents: number;
  characters: Known;
  bytes: Known;
  // Lists are there where documents have such a column.
  languages?: Named[];
  charsets?: Named[];
  hosts?: Named[];
  distinctHosts: Known;
  dates?: Named[];
}

export interface Overlap {
  name: string;
  datasets: string[];
  kinds: { kind: string; counts: Known[]; both: Known[][] }[];
}

export const diffKinds = ["equal", "changed", "onlyA", "onlyB"] as const;
export type DiffKind = (typeof diffKinds)[number];

export interface DiffCounts {
  documents: number;
  charactersA: number;
  charactersB: number;
}

// Where documents were lost that one of the corpora does not have.
export interface Why {
  output: string | null; // null: no output of that corpus has them
  stage: string | null;
  reason: string | null; // null: the output does not say
  filter: string | null; // its class
}

export interface DiffReason extends Why {
  missingIn: "a" | "b";
  documents: number;
  characters: number;
}

export interface DiffLine {
  kind?: "both" | "a" | "b";
  text?: string;
  skipped?: number; // paragraphs that are in both
}

export interface DiffedDocument {
  id: string;
  url: string;
  title: string | null;
  documents: number; // of this id or URL, or without one of this text, that differ in this way
  why: (Why & { duplicateOf?: string; similarity?: number; duplicateReason?: string }) | null;
  lines: DiffLine[];
  cut: boolean;
}

// A corpus `a` beside another, `b`.
export interface Diff extends Record<DiffKind, DiffCounts> {
  a: string;
  b: string;
  matchedBy: "docId" | "url";
  reasons: DiffReason[];
  hosts: ({ name: string } & Record<DiffKind, number>)[];
  distinctHosts: number;
  shown: Record<"changed" | "onlyA" | "onlyB", DiffedDocument[]>;
}

export interface Tokens {
  name: string;
  documents: number;
  tokens: number;
  characters: Known; // of the text that was counted
  bytes: Known;
}

export interface Report {
  version: number;
  generator: string;
  title: string;
  serve: { token: string } | null;
  stages: Stage[];
  funnel: FunnelRow[];
  metrics: Metrics[];
  groups: Groups[] | null;
  corpora: Corpus[];
  overlap: Overlap[] | null;
  tokens: Tokens[];
  diff?: Diff | undefined;
  meanings?: Record<string, string> | undefined; // of filters, by their classes
}

export const supportedVersion = 1;

// The data of this page; throws where there is none.
export function readReport(): Report {
  const element = document.getElementById("data");
  return JSON.parse(element?.textContent ?? "") as Report;
}

export function unpack(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer;
}
