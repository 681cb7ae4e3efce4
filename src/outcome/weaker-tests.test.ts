import { describe, expect, test } from "vitest";
import { found } from "../../test/found-weakenings.ts";
import { scaledLimit } from "../../test/scaled-limit.ts";
import { weakenings } from "./weakenings.ts";

const suites: readonly (readonly [path: string, head: string, first: string, second: string])[] = [
  [
    "src/a.test.ts",
    "",
    'test("one", () => {\n  expect(one()).toBe(1);\n});\n',
    'test("two", () => {\n  expect(two()).toBe(2);\n});\n',
  ],
  [
    "test/a.mjs",
    "",
    'it("one", async () => {\n  assert.equal(one(), 1);\n});\n',
    'it("two", () => {\n  assert.equal(two(), 2);\n});\n',
  ],
  [
    "tests/test_a.py",
    "import a\n\n",
    "def test_one():\n    assert a.one() == 1\n\n",
    "def test_two():\n    assert a.two() == 2\n\n",
  ],
  [
    "a_test.go",
    "package a\n\n",
    'func TestOne(t *testing.T) {\n\tif one() != 1 {\n\t\tt.Error("x")\n\t}\n}\n',
    'func TestTwo(t *testing.T) {\n\tif two() != 2 {\n\t\tt.Error("x")\n\t}\n}\n',
  ],
  [
    "src/lib.rs",
    "fn one() {}\n",
    "    #[test]\n    fn one_works() {\n        assert_eq!(one(), 1);\n    }\n",
    "    #[test]\n    fn two_works() {\n        assert_eq!(two(), 2);\n    }\n",
  ],
  [
    "src/test/java/ATest.java",
    "class ATest {\n",
    "  @Test\n  void one() {\n    assertEquals(1, a.one());\n  }\n",
    "  @Test\n  void two() {\n    assertEquals(2, a.two());\n  }\n",
  ],
  [
    "ATests.cs",
    "class ATests {\n",
    "  [Fact]\n  public void One() {\n    Assert.Equal(1, a.One());\n  }\n",
    "  [Fact]\n  public void Two() {\n    Assert.Equal(2, a.Two());\n  }\n",
  ],
  [
    "spec/a_spec.rb",
    "",
    '  it "one" do\n    expect(one).to eq(1)\n  end\n',
    '  it "two" do\n    expect(two).to eq(2)\n  end\n',
  ],
  [
    "Tests/ATests.swift",
    "",
    "  func testOne() {\n    XCTAssertEqual(one(), 1)\n  }\n",
    "  func testTwo() {\n    XCTAssertEqual(two(), 2)\n  }\n",
  ],
  [
    "tests/ATest.php",
    "<?php\n",
    "  public function testOne() {\n    $this->assertSame(1, one());\n  }\n",
    "  public function testTwo() {\n    $this->assertSame(2, two());\n  }\n",
  ],
  [
    "tests/a_test.cc",
    "",
    "TEST(A, One) {\n  EXPECT_EQ(one(), 1);\n}\n",
    "TEST(A, Two) {\n  EXPECT_EQ(two(), 2);\n}\n",
  ],
  ["test/a.bats", "", '@test "one" {\n  [ "$(one)" = 1 ]\n}\n', '@test "two" {\n  [ "$(two)" = 2 ]\n}\n'],
];

describe("LOOP-18: deleted tests", () => {
  test.each(suites)("in %s", (path, head, first, second) => {
    const before = { [path]: head + first + second };
    const name = expect.stringMatching(new RegExp(`^${path} was changed: the test ".*" is gone$`));
    expect(found({ before, after: { [path]: head + first } })).toEqual([name]);
    const commented = second.replace(/^/gm, /\.(?:py|rb|bats)$/.test(path) ? "# " : "// ");
    expect(found({ before, after: { [path]: head + first + commented } })).toEqual([name]);
    // A test is another one's neighbour, has another name, or is new.
    expect(found({ before, after: { [path]: head + second + first } })).toEqual([]);
    expect(found({ before: { [path]: head + first }, after: { [path]: head + first + second } })).toEqual([]);
    const renamed = second.replace(/(?:two_works|testTwo|TestTwo|test_two|"two"|void two|Two\b)/, (text) =>
      text.replace(/two/i, "$&Numbers"),
    );
    expect(found({ before, after: { [path]: head + first + renamed } })).toEqual([]);
    const indented = second.replace(/^(?=.)/gm, /\.py$/.test(path) ? "" : "  ");
    if (!path.endsWith(".go"))
      expect(found({ before, after: { [path]: head + first + indented } })).toEqual([]);
  });

  const [path = "", , first = "", second = ""] = suites[0] ?? [];
  const before = { [path]: first + second };

  test("a deleted file, and several tests", () => {
    expect(found({ before, after: { [path]: "" } })).toEqual([
      `${path} was changed: 2 tests were deleted with it: "one", "two"`,
    ]);
    expect(found({ before, after: { [path]: "x\n" } })).toEqual([
      `${path} was changed: 2 tests are gone: "one", "two"`,
    ]);
  });

  test("not a file or a test that moved, whatever its name", () => {
    const gone = { [path]: "" };
    expect(found({ before, after: { ...gone, "test/b.test.ts": first + second } })).toEqual([]);
    expect(found({ before, after: gone, created: { "test/b.test.ts": first + second } })).toEqual([]);
    expect(found({ before, after: { [path]: first }, created: { "src/b.test.ts": second } })).toEqual([]);
    const rewritten = 'test("a: 1", () => {\n  assert(a);\n});\ntest("a: 2", () => {\n  assert(b);\n});\n';
    expect(found({ before, after: gone, created: { "test/unit/a.test.mjs": rewritten } })).toEqual([]);
    const fewer = { "test/unit/a.test.mjs": 'test("a", () => {\n  assert(a);\n});\n' };
    expect(found({ before, after: gone, created: fewer })).toHaveLength(1);
    const other = { "src/b.test.ts": second.replace('"two"', '"gives two"') };
    expect(found({ before, after: { [path]: first }, created: other })).toEqual([]);
  });

  test("not tests that became rows of a table", () => {
    const table =
      'test.each([[one, 1], [two, 2]])("counts", (count, n) => {\n  expect(count()).toBe(n);\n});\n';
    expect(found({ before, after: { [path]: table } })).toEqual([]);
  });

  test("a new test does not take the place of a deleted one", () => {
    const third = 'test("three", () => {\n  expect(three({ a: [1] })).toEqual({ b: 2 });\n});\n';
    expect(found({ before, after: { [path]: first + third } })).toEqual([
      `${path} was changed: the test "two" is gone`,
    ]);
  });
});

describe("LOOP-18: skipped tests", () => {
  test.each<[number, (test: string) => string]>([
    [0, (text) => text.replace("test(", "test.skip(")],
    [0, (text) => text.replace('"two", ', '"two", { skip: true }, ')],
    [1, (text) => text.replace("it(", "xit(")],
    [2, (text) => `@pytest.mark.skip(reason="later")\n${text}`],
    [2, (text) => text.replace("    assert", "    pytest.skip()\n    assert")],
    [3, (text) => text.replace("\tif", "\tt.Skip()\n\tif")],
    [4, (text) => text.replace("#[test]\n", "#[test]\n    #[ignore]\n")],
    [5, (text) => text.replace("@Test\n", "@Test\n  @Disabled\n")],
    [6, (text) => text.replace("[Fact]", '[Fact(Skip = "later")]')],
    [7, (text) => text.replace("it ", "xit ")],
    [8, (text) => text.replace("{\n", '{\n    throw XCTSkip("x")\n')],
    [9, (text) => text.replace("{\n", "{\n    $this->markTestSkipped();\n")],
    [10, (text) => text.replace("{\n", "{\n  GTEST_SKIP();\n")],
    [11, (text) => text.replace("{\n", "{\n  skip\n")],
  ])("suite %i", (index, skip) => {
    const [path = "", head = "", first = "", second = ""] = suites[index] ?? [];
    const now = head + first + skip(second);
    const name = expect.stringMatching(new RegExp(`^${path} was changed: the test ".*" is skipped$`));
    expect(found({ before: { [path]: head + first + second }, after: { [path]: now } })).toEqual([name]);
    expect(found({ before: { [path]: now }, after: { [path]: head + first + second } })).toEqual([]);
    // One that is skipped already may move; a new one that is skipped leaves out nothing.
    expect(found({ before: { [path]: now }, after: { [path]: head + skip(second) + first } })).toEqual([]);
    expect(found({ before: { [path]: head + first }, after: { [path]: now } })).toEqual([]);
  });

  const [path = "", , first = "", second = ""] = suites[0] ?? [];

  test("a whole group, and all others", () => {
    const group = (name: string): string => `${name}("counts", () => {\n${first}${second}});\n`;
    const before = { [path]: group("describe") };
    expect(found({ before, after: { [path]: group("describe.skip") } })).toEqual([
      `${path} was changed: the test "one" is skipped`,
    ]);
    const only = `${first}${second}test.only("three", () => {});\n`;
    expect(found({ before: { [path]: first + second }, after: { [path]: only } })).toEqual([
      `${path} was changed: other tests are left out`,
    ]);
    const conftest = { "tests/conftest.py": "def fixture(): pass\n" };
    expect(
      found({ before: conftest, after: { "tests/conftest.py": 'collect_ignore = ["test_a.py"]\n' } }),
    ).toEqual(["tests/conftest.py was changed: other tests are left out"]);
    expect(found({ after: { "tests/conftest.py": "def fixture(): pass\n" } })).toEqual([]);
  });

  test("a test whose checks are all gone", () => {
    const empty = second.replace(/ {2}expect.*\n/, "  two();\n");
    expect(found({ before: { [path]: first + second }, after: { [path]: first + empty } })).toEqual([
      `${path} was changed: the test "two" checks nothing`,
    ]);
    const other = second.replace("toBe(2)", "toBe(3)");
    expect(found({ before: { [path]: first + second }, after: { [path]: first + other } })).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    [
      "tests/test_a.py",
      "import a\n\n",
      "def test_one():\n    assert a.one() == 1\n\n",
      '@pytest.mark.parametrize("a", [\n    pytest.param(1, marks=pytest.mark.skipif(WIN)),\n])\n@pytest.mark.skipif(WIN, reason="x")\ndef test_two(a):\n    if a:\n        pytest.skip("x")\n    assert a\n\n',
    ],
    [
      "a_test.go",
      "package a\n\n",
      "func TestOne(t *testing.T) {\n\tt.Error()\n}\n",
      'func needs(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip("slow")\n\t}\n}\n',
    ],
    [
      "test/a.mjs",
      "",
      'it("one", () => {\n  assert(1);\n});\n',
      'const needs = (t) => {\n  if (!redis) t.skip("no redis");\n};\ntest.skipIf(win)("three", () => {});\n',
    ],
    [
      "spec/a_spec.rb",
      "",
      '  it "one" do\n    expect(1)\n  end\n',
      '  def needs\n    skip "x" if windows?\n  end\n',
    ],
  ])("not a condition of new tests in %s", (file, head, old, more) => {
    const before = { [file]: head + old };
    expect(found({ before, after: { [file]: head + old + more } })).toEqual([]);
    expect(found({ before, after: { [file]: head + more + old } })).toEqual([]);
  });

  test.each([
    "// it.skip was here",
    "  const rest = rows.skip(3);",
    "  add({ todo: true });",
    "  read({ skip: 10, only: false });",
  ])("not %s", (line) => {
    expect(
      found({ before: { [path]: first }, after: { [path]: first.replace("{\n", `{\n${line}\n`) } }),
    ).toEqual([]);
  });
});

test("LOOP-18: a test that became a link has no tests", () => {
  const link =
    'diff --git a/a.test.ts b/a.test.ts\ndeleted file mode 100644\n--- a/a.test.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-test("one", () => expect(1))\n' +
    "diff --git a/a.test.ts b/a.test.ts\nnew file mode 120000\n--- /dev/null\n+++ b/a.test.ts\n@@ -0,0 +1,1 @@\n+/dev/null\n";
  const verifiers = { commands: [], texts: new Map(), isProtected: () => false, task: "" };
  expect(weakenings(verifiers, { files: ["a.test.ts"], diff: link, created: new Map() })).toEqual([
    { path: "a.test.ts", why: 'the test "one" is gone', isNew: false },
  ]);
});

test("TRUST-12: many deleted and new tests are compared in linear time", () => {
  const suite = (name: string): string =>
    Array.from(
      { length: 200 },
      (_, n) => `test("${name} ${n}", () => {\n  expect(${name}(${n})).toBe(1);\n});\n`,
    ).join("");
  const files = (name: string, count = 100): Readonly<Record<string, string>> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`${name}${n}.test.ts`, suite(`${name}${n}`)]),
    );
  const gone = Object.fromEntries(Object.keys(files("a")).map((path) => [path, ""]));
  const start = performance.now();
  expect(found({ before: files("a"), after: { ...gone, ...files("b") } })).toHaveLength(100);
  expect(performance.now() - start).toBeLessThan(scaledLimit(5000));
});
