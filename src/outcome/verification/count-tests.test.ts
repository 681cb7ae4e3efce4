import { expect, test } from "vitest";
import { fewerTests } from "./count-tests.ts";

const fewer = (path: string, before: readonly string[], after: readonly string[]): string | undefined =>
  fewerTests(path, { removed: [...before], added: [...after], before: [...before], after: [...after] });

test.each([
  [
    "a.test.ts",
    ['  it("adds", () => {', "    expect(1).toBe(1);", "    expect(2).toBe(2);"],
    "1 test and 2 assertions fewer",
  ],
  ["a.spec.js", ["test.each([1])('x', () => {", "  assert.equal(1, 1);"], "1 test and 1 assertion fewer"],
  [
    "test_a.py",
    ["def test_a():", "    assert x == 1", "async def test_b():"],
    "2 tests and 1 assertion fewer",
  ],
  ["test_a.py", ["        self.assertEqual(1, 1)"], "1 assertion fewer"],
  [
    "src/lib.rs",
    ["    #[test]", "    fn adds() {", "        assert_eq!(1, 1);"],
    "1 test and 1 assertion fewer",
  ],
  ["a_test.go", ["func TestA(t *testing.T) {", '\tt.Fatalf("x")'], "1 test and 1 assertion fewer"],
  ["CartTest.java", ["    @Test", "    assertEquals(1, 1);"], "1 test and 1 assertion fewer"],
  ["cart_spec.rb", ["  it 'adds' do", "    expect(1).to eq 1"], "1 test and 1 assertion fewer"],
])("LOOP-18: tests and assertions that %s lost", (path, removed, expected) => {
  expect(fewer(path, removed, [])).toBe(expected);
  expect(fewer(path, removed, removed)).toBeUndefined();
  expect(fewer(path, [], removed)).toBeUndefined();
  const commentedOut = removed.map((line) => `${/\.(?:py|rb)$/.test(path) ? "#" : "//"} ${line}`);
  expect(fewer(path, removed, commentedOut)).toBe(expected);
});

test.each([
  ["a.test.ts", ["const exit = submit(1);", "items.test(1)", "const expected = 1;"]],
  ["notes.md", ["expect(1)"]],
])("LOOP-18: other lines of %s", (path, removed) => {
  expect(fewer(path, removed, [])).toBeUndefined();
});
