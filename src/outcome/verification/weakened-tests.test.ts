import { describe, expect, test } from "vitest";
import { warningsOfChange as warningsOf } from "../../../test/warnings-of-change.ts";

const lost = ["1 test and 2 assertions fewer"];
const skipped = ["tests are skipped in it"];

describe("LOOP-18: removed tests and assertions", () => {
  test.each<readonly [string, string, ...string[]]>([
    [
      "tests/test_add.c",
      "void test_add(void) {",
      "  assert(add(1, 1) == 2);",
      "  assert(add(2, 2) == 4);",
      "}",
    ],
    ["add_test.cc", "TEST(Add, Two) {", "  EXPECT_EQ(add(1, 1), 2);", "  ASSERT_TRUE(x);", "}"],
    ["AddTest.cpp", "TEST_F(Add, Two) {", "  EXPECT_EQ(add(1, 1), 2);", "  EXPECT_NEAR(x, 1, 1);", "}"],
    ["tests/add.cpp", 'TEST_CASE("adds") {', "  REQUIRE(add(1, 1) == 2);", "  CHECK_FALSE(x);", "}"],
    ["tests/add.cpp", 'SCENARIO("adds") {', "  REQUIRE(add(1, 1) == 2);", "  CHECK(x);", "}"],
    [
      "test/add_test.dart",
      "  test('adds', () {",
      "    expect(add(1), 2);",
      "    expectLater(a, b);",
      "  });",
    ],
    ["spec/add_spec.lua", '  it("adds", function()', "    assert.is_true(x)", "    assert.are.equal(1, x)"],
    ["t/add.t", "subtest 'adds' => sub {", "  is(add(1), 2, 'two');", "  is_deeply $x, [1], 'x';", "};"],
    ["t/add.t", "subtest 'adds' => sub {", "  isnt(add(1), 2);", "  cmp_ok(1, '==', $x);", "};"],
    ["AddSpec.groovy", '  def "adds two"() {', "    assert add(1) == 2", "    add(2) == 3", "  }"],
    ["test_a.py", "def test_a():", "    assert_allclose(a, b)", "    np.testing.assert_equal(a, b)"],
    ["CartTest.cs", "    [Fact]", "    cart.Sum.Should().Be(1);", "    Assert.Equal(1, 1);"],
    ["a_test.ts", 'Deno.test("x"); test("y", () => {', "  assertEquals(1, 1);", "  assertThrows(f);", "});"],
  ])("%s: %s", (path, ...lines) => {
    expect(warningsOf(path, lines, [])).toEqual(lost);
    expect(warningsOf(path, lines, lines.slice(0, 2))).toEqual(["1 assertion fewer"]);
    expect(warningsOf(path, lines, [...lines.slice().reverse(), ...lines])).toEqual([]);
  });

  test.each([
    ['import { equal, rejects } from "node:assert/strict";', "equal(1, 1)", "await rejects(f)"],
    ['const { strictEqual, ok } = require("assert");', "strictEqual(1, 1)", "ok(x)"],
    ['import { deepEqual, throws } from "chai";', "deepEqual(1, 1)", "throws(f)"],
    ['import { match, notEqual } from "node:assert";', "match(text, /a/)", "notEqual(1, 1)"],
  ])("assertions that are imported by name: %s", (by, one, two) => {
    const before = [by, 'test("a", async () => {', `  ${one};`, `  ${two};`, "});"];
    expect(warningsOf("a.test.mjs", before, [by])).toEqual(lost);
    expect(warningsOf("a.test.mjs", before, before.toSpliced(2, 1))).toEqual(["1 assertion fewer"]);
    expect(warningsOf("a.test.mjs", before.slice(1), before.slice(1).toSpliced(2, 1))).toEqual([]);
  });

  test("an assertion that is imported by name in place of the module", () => {
    const body = (call: string): string[] => ['test("a", () => {', `  ${call}(1, 1);`, "});"];
    const before = ['import assert from "node:assert/strict";', ...body("assert.equal")];
    const after = ['import { equal } from "node:assert/strict";', ...body("equal")];
    expect(warningsOf("a.test.ts", before, after)).toEqual([]);
    expect(warningsOf("a.test.ts", after, before)).toEqual([]);
  });
});

describe("LOOP-18: an assertion that is imported from another module", () => {
  const withTest = (...imports: readonly string[]): readonly string[] => [
    ...imports,
    'test("a", () => {',
    "  equal(1, 1);",
    "});",
  ];
  const before = withTest('import { equal } from "node:assert/strict";');
  test.each([
    ['import { equal } from "../src/equal.mjs"; // from "node:assert"'],
    ['/* from "node:assert" */', 'import { equal } from "../src/equal.mjs";'],
    ['const why = "node:assert";', 'import { equal } from "../src/equal.mjs";'],
    ['import { ok } from "node:assert";', "import {", "  same as equal,", '} from "../src/equal.mjs";'],
    ['import "node:assert";', 'const { same: equal } = await import("../src/equal.mjs");'],
    ['import assert from "node:assert";', 'import equal from "../src/equal.mjs";'],
    ['const assert = require("assert");', 'const equal = require("../src/equal.js");'],
  ])("%s", (...imports) => {
    expect(warningsOf("a.test.mjs", before, withTest(...imports))).toEqual(["1 assertion fewer"]);
    expect(warningsOf("a.test.mjs", withTest(...imports), before)).toEqual([]);
  });

  test.each([
    ['import assert, { ok, deepEqual as equal } from "assert";'],
    ['import assert from "node:assert";', "const { equal } = assert;"],
    ["const {", "  equal,", '} = require("node:assert").strict;'],
    ['import { add } from "../src/add.mjs";', 'import { equal } from "chai";'],
  ])("not in %s", (...imports) => {
    expect(warningsOf("a.test.mjs", before, withTest(...imports))).toEqual([]);
    expect(warningsOf("a.test.mjs", withTest(...imports), before)).toEqual([]);
  });
});

describe("LOOP-18: tests in comments and strings", () => {
  const script = ['test("a", () => {', "  expect(1).toBe(1);", '  expect("src/**/*.ts").toBe(2);', "});"];
  const python = ["def test_a():", "    assert f(1)", "    assert f(2)"];
  test.each<readonly [string, string, string, readonly string[]]>([
    ["a.test.ts", "/*", "*/", ["// a"]],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a test
    ["a.test.ts", "const a = `", "`;", ["const b = `\n${f(`x`)}`;"]],
    ["a.test.ts", "/* text", "*/ export {};", ["const it = /[/*`]/;"]],
    ["tests/a.test.tsx", "/**", " */", ["<p>Don't /</p>;"]],
  ])("%s: %s", (path, open, close, others) => {
    const before = [...others, ...script, ...others];
    expect(warningsOf(path, before, [...others, open, ...script, close, ...others])).toEqual(lost);
    expect(warningsOf(path, [open, close, ...before], before)).toEqual([]);
    expect(warningsOf(path, before, [...others, open, close, ...script, ...others])).toEqual([]);
  });

  test.each<readonly [string, string, string, readonly string[]]>([
    ["test_a.py", '"""', '"""', python],
    ["test_a.py", "x = '''", "'''", python],
    ["tests/a.c", "#if 0", "#endif", ["TEST(A, B) {", "  EXPECT_EQ(1, 'a');", "  EXPECT_EQ(1, '\"');", "}"]],
    ["tests/a.c", "/*", "*/", ["TEST(A, B) {", "  EXPECT_EQ(1, '\\'');", "  EXPECT_EQ(1, 1'000);", "}"]],
    [
      "src/a.rs",
      "/* /* */",
      "*/",
      ["#[test]", "fn a<'a>() {", "  assert!(x);", "  assert_eq!(1, '\"');", "}"],
    ],
    ["a_test.go", "/*", "*/", ["func TestA(t *testing.T) {", '\tt.Fatal(`"`)', "\tt.Error('`')", "}"]],
    ["ATest.php", "/*", "*/", ["function testA() {", "  $this->assertSame('/*', x);", "  assert(1);", "}"]],
    ["a_spec.lua", "--[[", "]]", ['it("a", function()', "  assert.same(1, x)", "  assert(x)", "end)"]],
    ["t/a.t", "=pod", "=cut", ["subtest 'a' => sub {", "  is(1, '#');", "  ok(1);", "};"]],
    ["a_spec.rb", "=begin", "=end", ["it 'a' do", "  expect(1).to eq(1)", '  expect("#{x}").to be', "end"]],
  ])("%s: %s", (path, open, close, lines) => {
    const found = warningsOf(path, lines, [open, ...lines, close]).filter((text) => text !== skipped[0]);
    expect(found).toEqual(lost);
    expect(warningsOf(path, [open, ...lines, close], lines)).toEqual([]);
    expect(warningsOf(path, lines, [...lines, ...lines])).toEqual([]);
  });

  test("one behind code, and a comment that does not end", () => {
    expect(warningsOf("a.test.ts", ["f(); expect(1);"], ["f(); // expect(1);"])).toEqual([
      "1 assertion fewer",
    ]);
    expect(warningsOf("a.test.ts", ["test(1);"], ["/*", "test(1);"])).toEqual([]);
    expect(warningsOf("a.test.ts", ["/*", "test(1);", "test(2);"], ["/*", "test(2);"])).toEqual([
      "1 test fewer",
    ]);
  });
});

describe("LOOP-18: skipped tests", () => {
  test.each([
    ["a.test.mjs", 'test("two", {skip:true}, () => {'],
    ["a.test.mjs", 'test("two", { todo:true }, () => {'],
    ["a.test.mjs", 'test("two", {only: true}, () => {'],
    ["a.test.mjs", 'test("two", { timeout: 1, skip: "later" }, () => {'],
    ["a.test.ts", "test.runIf(false)('two', () => {"],
    ["test_a.py", 'pytestmark = pytest.mark.skip(reason="later")'],
    ["test_a.py", "    pytestmark = [pytest.mark.slow, pytest.mark.xfail]"],
    ["test_a.py", "    raise unittest.SkipTest('later')"],
    ["test_a.py", "@skipIf(True, 'later')"],
    ["spec/a_spec.rb", '    skip "later"'],
    ["spec/a_spec.rb", "    pending"],
    ["spec/a_spec.rb", "  xit 'adds' do"],
    ["spec/a_spec.rb", "  it 'adds', :skip do"],
    ["test/a_test.rb", "    skip"],
    ["CartTests.cs", '    [Fact(Skip="later")]'],
    ["CartTests.cs", '    [Theory(DisplayName = "x", Skip = "later")]'],
    ["CartTests.cs", "    [Ignore]"],
    ["CartTests.cs", '    [Test, Ignore("later")]'],
    ["tests/CartTest.php", "    $this->markTestSkipped('later');"],
    ["tests/CartTest.php", "    $this->markTestIncomplete();"],
    ["add_test.cc", "  GTEST_SKIP();"],
    ["add_test.cc", "TEST(Add, DISABLED_Two) {"],
    ["tests/add.cpp", 'TEST_CASE("adds", "[math][.]") {'],
    ["tests/add.c", "#if 0"],
    ["a_test.go", "\tt.SkipNow()"],
    ["src/lib.rs", "    #[ignore]"],
    ["tests/a.rs", '    #[ignore = "later"]'],
    ["CartTest.java", "    @Disabled"],
    ["CartTest.kt", "    @Test @Ignore"],
    ["CartTest.java", "    @DisabledOnOs(OS.LINUX)"],
    ["CartTest.java", "    @Test(enabled = false)"],
    ["CartSpec.groovy", "  @IgnoreRest"],
    ["test/a_test.dart", "  test('adds', () {}, skip: 'later');"],
    ["test/a_test.dart", "  }, skip: isSlow);"],
    ["spec/a_spec.lua", '  pending("adds")'],
    ["t/a.t", "plan skip_all => 'later';"],
    ["t/a.t", "SKIP: {"],
    ["test/a_test.exs", "  @moduletag :skip"],
    ["test/a.bats", '  skip "later"'],
    ["Tests/CartTests/CartTests.swift", '    throw XCTSkip("later")'],
  ])("%s: %s", (path, line) => {
    expect(warningsOf(path, ["a"], ["a", line])).toContain(skipped[0]);
    expect(warningsOf(path, ["a", line], ["a"])).not.toContain(skipped[0]);
    expect(warningsOf(path, ["", "a", "", line, "b"], ["a", `  ${line}`, "b"])).toEqual([]);
  });

  test.each([
    ["a.test.ts", "  add({ todo: true, text: 'x' });"],
    ["a.test.ts", "test('reads', () => read({ skip: 10, only: false }));"],
    ["a.test.ts", "// it.skip was here"],
    ["test_a.py", "skipped = rows[1:]"],
    ["spec/a_spec.rb", "    pending = orders.pending"],
    ["CartTests.cs", "    var rest = items.Skip(1); Skip = first;"],
    ["CartTest.php", "    User::query()->skip(5)->get();"],
    ["test/a_test.dart", "    list.skip(1); read(skip: 10); test('x', f, skip: false);"],
    ["CartTest.java", "    ignore(problem);"],
    ["tests/add.c", "  char *skip = list[0];"],
  ])("no skipped test in %s: %s", (path, line) => {
    expect(warningsOf(path, ["a"], ["a", line])).toEqual([]);
  });

  test.each([
    ["test(", '  "adds",', "  { skip: !0 },", "  () => {", "  },", ");"],
    ["test(", "  name,", '  { skip: "later" },', "  () => {});"],
    ["it('adds', {", "  timeout: 100,", "  todo: 1,", "}, () => {});"],
    ["describe({", '  name: "adds",', '  "skip": `later`,', "}, () => {});"],
  ])("options on lines of their own: %s %s %s", (...lines) => {
    const without = lines.filter((line) => !/skip|todo/.test(line));
    expect(warningsOf("a.test.mjs", without, lines)).toEqual(skipped);
    expect(warningsOf("a.test.mjs", lines, without)).toEqual([]);
    expect(warningsOf("a.test.mjs", ["a", ...lines], [...lines, "a"])).toEqual([]);
  });

  test.each([
    ["test.each([", '  { todo: "x", done: 1 },', '])("adds", () => {});'],
    ["test(", '  "adds",', "  { skip: false, only: 0 },", "  () => {});"],
    ['test("adds", () => {', "  const task = {", '    todo: "x",', "  };", "});"],
    ['// test("adds", {', "//   skip: 1,"],
  ])("no options of a test: %s %s", (...lines) => {
    expect(warningsOf("a.test.mjs", ["a"], ["a", ...lines])).toEqual([]);
  });

  test("a decorator that moves to another test", () => {
    const tests = (first: string, second: string): string[] =>
      [first, "def test_a():", "    pass", second, "def test_b():", "    pass"].filter((line) => line !== "");
    const skip = "@pytest.mark.skip";
    expect(warningsOf("test_a.py", tests(skip, ""), tests("", skip))).toEqual(skipped);
    expect(warningsOf("test_a.py", tests(skip, ""), tests("", "").concat(skip, "def test_a():"))).toEqual([]);
  });
});
