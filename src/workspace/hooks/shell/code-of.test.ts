import { existsSync } from "node:fs";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, runScript, tempFolder } from "../../../../test/temp-repository.ts";
import { codeOf } from "./code-of.ts";

afterEach(removeTempRepositories);

/** The files that the code of a hook names. */
const named = (text: string): readonly string[] => [
  ...new Set(codeOf({ path: "/x/.git/hooks/pre-commit", text }).match(/(?:src|ci|log)\/\w[\w.]*/g) ?? []),
];

const data = [
  "npx prettier --check src/b.js",
  "npx --yes prettier -c src/b.js",
  "./node_modules/.bin/eslint --fix 'src/b.js' || exit 1",
  "pnpm exec eslint src/b.js && yarn eslint src/b.js",
  "if grep -q TODO src/x; then echo 'no TODO in src/x' >&2; exit 1; fi",
  "node --check src/x.js",
  "sh -n src/x.sh",
  "poetry run ruff check src/a.py; python3 -m black --check src/a.py",
  "test -f src/x && [ -s src/y.js ] && [[ -e src/z ]]",
  'cat src/x | wc -l; [ "$(head -1 src/x.js)" = "// x" ]',
  "VERSION=$(sed -n 's/a/b/p' src/version.txt)",
  "git diff --cached --name-only -- src/a.js | xargs -n 1 grep -q TODO",
  "git add src/generated.js; git -C . diff --quiet -- src/a.js",
  "awk '{ print }' src/a | sort | head -3; jq -r .version src/a.json; diff <(sort src/a) src/b",
  "# formats src/b.js, see ci/lint.sh",
  "echo done >> log/a; echo more >log/b 2>> log/c; date | tee -a log/d > /dev/null; x &> log/e",
  'F=src/b.js\nprettier --check "$F"\nLOG=log/a; echo x >> "$LOG"',
  "for f in a b; do\n  prettier --check src/$f.js < src/c.js\ndone",
];

test.each(data)("LOOP-18: a hook that reads or writes a file as data does not run it: %s", (text) => {
  expect(named(text)).toEqual([]);
});

const code: readonly (readonly [script: string, named: readonly string[]])[] = [
  ["sh ci/a.sh; . ci/b; source ci/c; ci/d --x; node ci/e.mjs; python3 ci/f.py", "abcdef".split("")],
  ["[ -x ci/a ] && ci/a; test -f ci/b && . ci/b", ["a", "b"]],
  ["eslint -c ci/a.js --rulesdir ci/b --config=ci/c.json src/x.js; eslint ci/d.config.js", "abcd".split("")],
  ["sed -nf ci/a src/x; awk -f ci/b src/x; grep -f ci/c src/x; jq -f ci/d src/x", "abcd".split("")],
  ["cat ci/a | sh; sed s/a/b/ ci/b | bash -s; grep -v x ci/c | xargs sh", "abc".split("")],
  [
    'eval "$(cat ci/a)"; sh -c "$(head -9 ci/b)"; . <(cat ci/c); $(cat ci/d) x; `cat ci/e`',
    "abcde".split(""),
  ],
  ["cat ci/a | while read -r line; do $line; done", ["a"]],
  ["(cat ci/a; echo) | sh; { cat ci/b; } | sh", ["a", "b"]],
  ["steps() { cat ci/a; }\nsteps | sh", ["a"]],
  ['CMD=$(cat ci/a); $CMD; X=$(cat ci/b); eval "$X"', ["a", "b"]],
  ["sed s/a/b/ ci/a > /tmp/x.sh; sh /tmp/x.sh; cat ci/b | tee -a /tmp/y; sh ./run", ["a"]],
  [
    "awk '{ system(\"sh ci/a\") }' src/x; sed 's/x/sh ci\\/b/e' src/y; git rebase -x 'sh ci/c' main",
    ["a", "c"],
  ],
  ["git -c alias.x='!sh ci/a' x; git bisect run ci/b; git submodule foreach ci/c", "abc".split("")],
  ["ci/prettier src/x.js; ./ci/cat src/y", ["prettier", "cat"]],
  ["A=ci/a; sh $A; B=ci/b; [ -f $B ] && . ./lib", ["a", "b"]],
  ["sh <<EOF\n. ci/a\nEOF\nsh < ci/b", ["a", "b"]],
  ["find src -name x -exec sh ci/a {} ';'; env X=1 timeout 5 sh ci/b", ["a", "b"]],
  // Not understood: all of it counts.
  ["echo 'it; cat ci/a", ["a"]],
  ["echo $(cat ci/a", ["a"]],
];

test.each(code)(
  "LOOP-18: a file that a hook runs, sources or is configured by is code: %s",
  (text, names) => {
    const found = named(text).filter((name) => name.startsWith("ci/"));
    expect(found.map((name) => /\w+/.exec(name.slice(3))?.[0])).toEqual(expect.arrayContaining([...names]));
  },
);

test("LOOP-18: a hook in another language counts as a whole", () => {
  const text = '#!/usr/bin/env python3\nprint(1 > 2, "src/x.py")\n';
  expect(named(text)).toEqual(["src/x.py"]);
});

const piece = fc.constantFrom(
  ..."ci/a|sh ci/a|cat |echo |x |;|\n|\"|'|`|$(|)|(|{ |}; | > f|<<E\n| <(|\\|#| && |$x".split("|"),
  " | sh",
);

test("LOOP-18: whatever a hook looks like, a script that its shell starts is found", () => {
  const dir = tempFolder();
  const marked = `${dir}/marked`;
  const texts = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(""));
  runScript(dir, `mkdir ci bin; printf '#!/bin/sh\\ntouch ${marked}\\n' > ci/a; chmod +x ci/a`);
  fc.assert(
    fc.property(texts, (text) => {
      runScript(dir, `rm -f ${marked}`);
      try {
        runScript(dir, `timeout 2 sh -c "$0" < /dev/null > /dev/null 2>&1`.replace('"$0"', quoted(text)));
      } catch {
        // Most of them are refused by the shell.
      }
      const isRun = existsSync(marked);
      if (isRun) expect([text, named(text)]).toEqual([text, ["ci/a"]]);
    }),
    { numRuns: 60 },
  );
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

test("TRUST-12: a script of odd quotes and substitutions is read in linear time", () => {
  const began = performance.now();
  for (const text of ["$(", '"$(', "`", "${", "a > ", "(", "<<E\n", "cat|", "cat x > y;", "\n"])
    codeOf({ path: "/x/hook", text: text.repeat(256_000 / text.length) });
  expect(performance.now() - began).toBeLessThan(4000);
});
