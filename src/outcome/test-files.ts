const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|\/)Tests?\/.*\.(?:swift|cs|fs|php|java|kt|c|cc|cpp)$|[._-](?:test|spec|unittest)\.\w+$|(?:^|\/)test_\w+\.(?:py|c|cc|cpp|cxx)$|Tests?\.(?:java|kt|cs|swift|cpp|cc|groovy|scala|php)$|Spec\.(?:groovy|scala|kt)$|\.(?:t|bats)$/;

/** Names that only a whole project's tests have; a script that verification runs may have them too. */
const plainNames =
  /(?:^|\/)(?:tests?|specs?)\.(?:[cm]?[jt]sx?|py|rs|rb|lua)$|(?:^|\/)test-[^/]+\.[cm]?[jt]s$|_tests\.(?:rs|py)$/;

/** Languages whose tests stand in the sources. */
const inlineTests = /\.rs$/;

/** Returns true for a file of tests, by its name or folder. */
export function isTestFile(path: string): boolean {
  return testFile.test(path);
}

/** Returns true for a file of tests, also by a name that a script of verification may have. */
export function mayBeTestFile(path: string): boolean {
  return testFile.test(path) || plainNames.test(path);
}

/** Returns true for a source file that may contain its own tests. */
export function hasInlineTests(path: string): boolean {
  return inlineTests.test(path);
}
