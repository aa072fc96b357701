// The models of the tables of metrics, which outlive the page's being drawn again in another language.
import type { Report } from "./data.ts";
import { Model } from "./model.ts";
import type { MovedValues } from "./place.ts";

const models = new Map<number, Model>();
let moved = () => {};

// What is done when a value of any of them is set.
export function onMove(listener: () => void): void {
  moved = listener;
}

export function modelOf(report: Report, place: number): Model {
  let model = models.get(place);
  if (!model) {
    model = new Model(report.metrics[place]!, place, report.serve, report.meanings, () => moved());
    models.set(place, model);
  }
  return model;
}

export function movedValues(): MovedValues {
  const values: MovedValues = new Map();
  for (const model of models.values()) for (const [name, value] of model.moved()) values.set(name, value);
  return values;
}

// Of tables that no value is of, nothing is read as long as they are not shown.
export function moveTo(report: Report, values: MovedValues): void {
  for (const place of report.metrics.keys()) {
    const isMoved = [...values.keys()].some((name) => name.startsWith(`${place + 1}.`));
    if (isMoved || models.has(place)) modelOf(report, place).moveTo(values);
  }
}
