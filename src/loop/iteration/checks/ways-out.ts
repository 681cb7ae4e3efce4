const losesTests = /: (?:it contained tests|.* fewer|tests are skipped in it)$/;

/**
 * Adds to the changes for which an attempt fails what a person can do. `lasting` are those that stay, as git does not show
 * them.
 */
export function withWaysOut(failing: readonly string[], lasting: readonly string[]): readonly string[] {
  return failing.map((warning) => {
    if (losesTests.test(warning))
      return `${warning} (for a task that removes tests, use verifyGuard: report)`;
    if (!lasting.includes(warning)) return warning;
    return `${warning} (later attempts fail too until this is undone; to keep it, end the run and start it again: it takes the files as they are then)`;
  });
}
