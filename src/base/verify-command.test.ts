import { expect, test } from "vitest";
import { toCommand } from "./verify-command.ts";

test.each([
  ["packages/a", "npm test", "cd packages/a && npm test"],
  ["packages/a", "CI=1 npm run a && npm run b", "cd packages/a && CI=1 npm run a && npm run b"],
  ["-a b", "make || true", "cd './-a b' && (make || true)"],
  ["it's", "a; b", "cd 'it'\\''s' && (a; b)"],
  ["a", "b # c", "cd a && (\nb # c\n)"],
])("LOOP-5: in %j, %j runs as %j", (folder, run, line) => {
  expect(toCommand({ in: folder, run, timeoutMs: null })).toEqual({ run: line, timeoutMs: null });
});

test("LOOP-5: without a folder a command stays as it is", () => {
  const command = { run: "a; b", timeoutMs: 5, when: ["*.ts"] };
  expect(toCommand(command)).toEqual(command);
});
