// The last parts of paths, where they differ.
export function shortNames(paths: string[]): string[] {
  const last = paths.map((path) => path.split("/").at(-1) || path);
  return new Set(last).size === paths.length ? last : paths;
}
