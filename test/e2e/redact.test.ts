import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { ralphStart } from "./practice.ts";

const token = "ghp_R7xQ2mVt9LkB4nZs8WcY1dHf6JpG3aTuE5oK";

function redact(input: string | Buffer, ...args: string[]) {
  const env = { PATH: process.env["PATH"], DB_PASSWORD: "correct horse 7 battery" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [...ralphStart, "redact", ...args], {
    input,
    env,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

test("TRUST-2: ralph redact replaces secrets in standard input, also those of the environment, and keeps the rest", () => {
  const log = `start\ntoken ${token}\nlogin with correct horse 7 battery\n\u001b[31mred\u001b[0m é\n`;
  const expected = "start\ntoken [redacted:github]\nlogin with [redacted:env]\n\u001b[31mred\u001b[0m é\n";
  expect(redact(log)).toEqual({ code: 0, stdout: expected, stderr: "" });
});

test("TRUST-2: --lines reads and prints one JSON string per line, and names a line that is none", () => {
  const lines = [`a ${token}\nb`, "clean", ""].map((text) => JSON.stringify(text));
  const { code, stdout } = redact(`${lines.join("\n")}\n`, "--lines");
  expect([
    code,
    stdout
      .split("\n")
      .slice(0, 3)
      .map((line) => JSON.parse(line)),
  ]).toEqual([0, ["a [redacted:github]\nb", "clean", ""]]);
  const wrong = redact('"a"\n{}\n', "--lines");
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("invalid line 2: expected a JSON string"),
  });
});

test.each([
  ["plain text", []],
  ["--lines", ["--lines"]],
])("TRUST-2: ralph redact prints nothing for an empty input: %s", (_, args) => {
  expect(redact("", ...args)).toEqual({ code: 0, stdout: "", stderr: "" });
});

test("TRUST-2: ralph redact reads UTF-16, as PowerShell writes it, and says which bytes it could not read", () => {
  const text = `\uFEFFtoken ${token} é\n`;
  const little = Buffer.from(text, "utf16le");
  const expected = { code: 0, stdout: "token [redacted:github] é\n", stderr: "" };
  expect(redact(little)).toEqual(expected);
  expect(redact(Buffer.from(little).swap16())).toEqual(expected);
  expect(redact(`\uFEFF"${token}"\n`, "--lines").stdout).toBe('"[redacted:github]"\n');
  const latin = redact(Buffer.from(`caf\u00e9 ${token}\n`, "latin1"));
  expect(latin.stdout).toBe("caf\uFFFD [redacted:github]\n");
  expect(latin.stderr).toContain("not UTF-8");
});
