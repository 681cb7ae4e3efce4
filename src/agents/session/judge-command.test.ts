import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAllowedCommand } from "./judge-command.ts";

const table = readFileSync(join(import.meta.dirname, "../../../test/fixtures/command-lines.txt"), "utf8");
const place = {
  cwd: "/home/u/app",
  folders: ["/home/u/app", "/tmp/i-1"],
  allowed: [
    ...["npm test", "CI=1 npx vitest run", "npm run build", "cd api && make check"],
    ...['test "$(node ready.mjs)" = 1', "sh verify.sh > log.txt"],
  ],
};

test("AGENT-4: the command lines of the table are allowed and refused as it states", () => {
  const lines = table.split("\n").filter((line) => /^[+-] /.test(line));
  const judged = lines.map((line) => {
    const command = line.slice(2).replaceAll("⏎", "\n");
    return `${isAllowedCommand(command, place) ? "+" : "-"} ${line.slice(2)}`;
  });
  expect(judged.filter((line, n) => line !== lines[n])).toEqual([]);
  expect(lines.filter((line) => line.startsWith("-")).length).toBeGreaterThan(40);
});

test("TRUST-12: long and unclosed lines take no time", () => {
  const begun = performance.now();
  for (const part of ["'", '"', "\\", "a ", "{", "$?", "; ", "npm test;", "a=~", "/../", "s/a/"])
    isAllowedCommand(`npm test ${part.repeat(20_000 / part.length)}`, place);
  for (const part of ["'", '"', "\\", "a ", '"\\', "/../", "\\/"])
    isAllowedCommand(`sed -n ${part.repeat(9000 / part.length)}`, place);
  expect(performance.now() - begun).toBeLessThan(1000);
});
