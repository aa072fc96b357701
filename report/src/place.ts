// What is chosen for the whole page, kept in the address behind `#`: language and colours.
import { type Language, languages } from "./messages.ts";

export type Theme = "auto" | "light" | "dark";
const themes = new Set<Theme>(["auto", "light", "dark"]);

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

export function writePlace(place: Place): void {
  const said = new URLSearchParams({ lang: place.language });
  if (place.theme !== "auto") said.set("theme", place.theme);
  history.replaceState(null, "", `#${said}`);
}
