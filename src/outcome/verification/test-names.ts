const names =
  /[._-](?:test|spec)\.\w+$|(?:^|\/)test_\w+\.py$|_test\.(?:go|py|rb|exs)$|Tests?\.(?:java|kt|cs|swift)$/;
const folders = /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\//;
const unused =
  /(?:^|\/)(?:\.[^/]*|node_modules|vendor|dist|build|target|coverage|fixtures?|examples?|testdata|skipped|disabled|old|archived?|attic)\//i;

/** Returns true for a file that is a test by its name or folder. */
export function isTestFile(path: string): boolean {
  return names.test(path) || folders.test(path);
}

/** Returns true for a file that test runners take for a test by its name. */
export function isTestName(path: string): boolean {
  return names.test(path);
}

/** Returns true for a file in a folder where test runners do not look, or where people put what is not used any more. */
export function isUnusedPlace(path: string): boolean {
  return unused.test(path);
}
