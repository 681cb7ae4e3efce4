import { expect, test } from "vitest";
import { dueCommands } from "./verify-commands.ts";

const command = (run: string, ...when: string[]) => ({
  run,
  timeoutMs: null,
  ...(when.length > 0 && { when }),
});
const a = command("a", "packages/a/**", "shared/*.ts");
const b = command("b", "packages/b/**");
const lint = command("lint");

test.each([
  [[a, b], ["packages/a/src/x.ts"], "a"],
  [[a, b], ["packages/a/.hidden/x"], "a"],
  [[a, b], ["packages/b/x", "shared/y.ts"], "a b"],
  [[a, b], ["packages/a/x", "README.md"], "a b"],
  [[a, b], ["shared/deep/y.ts"], "a b"],
  [[a, b], [], "a b"],
  [[a, lint], ["README.md"], "lint"],
  [[lint, a], ["packages/a/x"], "lint a"],
  [[lint], ["packages/a/x"], "lint"],
  [[], ["packages/a/x"], ""],
])("LOOP-5: of %j, a change of %j is verified by %j", (commands, files, due) => {
  expect(
    dueCommands(commands, files)
      .map(({ run }) => run)
      .join(" "),
  ).toBe(due);
});
