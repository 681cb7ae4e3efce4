import picomatch from "picomatch";

/** Returns a test of whether a path with `/` matches one of `globs`; `*` and `**` also match names that begin with a dot. */
export function globMatcher(globs: readonly string[]): (path: string) => boolean {
  return picomatch(globs, { dot: true });
}
