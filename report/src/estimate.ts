// How far a share of a sample may be from that of all.

// Half of the interval of 95 %, for the share that `kept` is of `all`, each a number of every document of a sample of `of`
// documents: of a ratio estimator. Where only one of staying and going was seen, the rule of three stands for the other.
export function margin(stays: Uint8Array, kept: Uint32Array, all: Uint32Array, of: number): number {
  const documents = stays.length;
  let staying = 0;
  let keptSum = 0;
  let allSum = 0;
  for (let row = 0; row < documents; ++row) {
    staying += stays[row]!;
    keptSum += stays[row]! * kept[row]!;
    allSum += all[row]!;
  }
  const share = allSum > 0 ? keptSum / allSum : 0;
  let squares = 0;
  for (let row = 0; row < documents; ++row) squares += (stays[row]! * kept[row]! - share * all[row]!) ** 2;
  const spread = allSum > 0 ? 1.96 * (Math.sqrt(squares) / allSum) * Math.sqrt(Math.max(0, 1 - documents / of)) : 0;
  const unseen = staying === 0 || staying === documents ? 3 / Math.max(documents, 1) : 0;
  return Math.min(1, Math.max(spread, unseen));
}
