// A threshold that is dragged along an axis, by mouse, touch or keys.
import { placeOf, type Scale, valueAt } from "./bins.ts";
import { element } from "./dom.ts";

export interface Slid {
  label: string;
  tag: string;
  scale: Scale;
  value(): number;
  set(value: number): void;
  text(value: number): string;
}

const steps = 200; // of a key press, along the axis

// A value of few digits at a place of the axis. At its ends nothing is removed, so that they are rounded outwards.
function roundAt(scale: Scale, place: number): number {
  const value = valueAt(scale, place);
  const step = Math.abs(valueAt(scale, place + 1 / steps) - valueAt(scale, place - 1 / steps)) / 4;
  const digits = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step))));
  const round = place <= 0 ? Math.floor : place >= 1 ? Math.ceil : Math.round;
  return round(value * 10 ** digits) / 10 ** digits;
}

export function slider(slid: Slid): { handle: HTMLElement; update: () => void } {
  const handle = element(
    "div",
    { class: "handle", role: "slider", tabindex: 0, "aria-label": slid.label, "aria-orientation": "horizontal" },
    element("span", { class: "tag", "aria-hidden": "true" }, slid.tag),
  );
  const move = (place: number) => slid.set(roundAt(slid.scale, place));
  const at = () => placeOf(slid.scale, slid.value());

  const axis = () => handle.parentElement!.getBoundingClientRect();
  let offset = 0;
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    const { left, width } = axis();
    offset = event.clientX - left - at() * width;
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const { left, width } = axis();
    move((event.clientX - left - offset) / width);
  });
  handle.addEventListener("keydown", (event) => {
    const by: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
    const ends: Record<string, number> = { Home: 0, End: 1 };
    if (event.key in ends) move(ends[event.key]!);
    else if (event.key in by) step(by[event.key]! * (event.shiftKey ? 10 : 1));
    else return;
    event.preventDefault();
  });
  // At least one, where values are whole numbers.
  const step = (by: number) => {
    const before = slid.value();
    const place = Math.min(1, Math.max(0, at() + by / steps));
    move(place);
    if (slid.value() === before) slid.set(before + Math.sign(by));
  };

  const update = () => {
    const value = slid.value();
    handle.style.setProperty("--place", String(at()));
    handle.setAttribute("aria-valuemin", String(Math.min(slid.scale.domain[0], value)));
    handle.setAttribute("aria-valuemax", String(Math.max(slid.scale.domain[1], value)));
    handle.setAttribute("aria-valuenow", String(value));
    handle.setAttribute("aria-valuetext", slid.text(value));
  };
  update();
  return { handle, update };
}
