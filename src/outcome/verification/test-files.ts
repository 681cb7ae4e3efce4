const testFile =
  /(?:^|\/)(?:tests?|specs?|__tests__|e2e)\/|(?:^|\/)Tests?\/.*\.(?:swift|cs|fs|php|java|kt|c|cc|cpp)$|[._-](?:test|spec|unittest)\.\w+$|(?:^|\/)test_\w+\.(?:py|c|cc|cpp|cxx)$|Tests?\.(?:java|kt|cs|swift|cpp|cc|groovy|scala|php)$|Spec\.(?:groovy|scala|kt)$|\.(?:t|bats)$/;

/** Languages whose tests stand in the sources. */
const inlineTests = /\.rs$/;

/** Returns true for a file of tests, by its name or folder. */
export function isTestFile(path: string): boolean {
  return testFile.test(path);
}

/** Returns true for a source file that may contain its own tests. */
export function hasInlineTests(path: string): boolean {
  return inlineTests.test(path);
}
