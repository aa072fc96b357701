// What is chosen for the whole page, kept in the address behind `#`: language, colours, and thresholds that were moved, so
// that a link shows what its sender saw.
import { type Language, languages } from "./messages.ts";

export type Theme = "auto" | "light" | "dark";
const themes = new Set<Theme>(["auto", "light", "dark"]);

// Values by their names: table, place in the chain, class and parameter, as `1.3.HiraganaRatio.low`.
export type MovedValues = Map<string, number>;

export interface Place {
  language: Language;
  theme: Theme;
}

export function readPlace(): Place {
  const said = new URLSearchParams(location.hash.slice(1));
  const asked = said.get("lang") ?? navigator.language.slice(0, 2);
  const theme = said.get("theme") as Theme | null;
  return {
    language: Object.hasOwn(languages, asked) ? (asked as Language) : "en",
    theme: theme !== null && themes.has(theme) ? theme : "auto",
  };
}

export function readMoved(): MovedValues {
  const moved: MovedValues = new Map();
  for (const [name, text] of new URLSearchParams(location.hash.slice(1))) {
    const value = text.trim() === "" ? NaN : Number(text);
    if (name.includes(".") && Number.isFinite(value)) moved.set(name, value);
  }
  return moved;
}

export function writePlace(place: Place, moved: MovedValues): void {
  const said = new URLSearchParams({ lang: place.language });
  if (place.theme !== "auto") said.set("theme", place.theme);
  for (const [name, value] of moved) said.set(name, String(value));
  history.replaceState(null, "", `#${said}`);
}
