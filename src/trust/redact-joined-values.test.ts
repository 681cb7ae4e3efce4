import { describe, expect, test } from "vitest";
import { redact } from "./redact.ts";

// Put together at run time, lest scanners take this file for a leak.
const body = "q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW";

describe("TRUST-1: a value in pieces", () => {
  const [one, two] = [body.slice(0, 14), body.slice(14, 30)];
  test.each([
    ["shell, an escaped quote", `PASSWORD='${one}'\\''${two}'`, "PASSWORD='[redacted:password]'"],
    ["shell, other quotes", `PASSWORD="${one}"'${two}'`, "PASSWORD=\"[redacted:password]'"],
    ["YAML, a doubled quote", `password: '${one}''${two}'`, "password: '[redacted:password]'"],
    ["a sum", `password := "${one}" + "${two}" + "x"`, 'password := "[redacted:password]"'],
    ["PHP", `$token = '${one}' . '${two}';`, "$token = '[redacted:secret]';"],
    ["an escaped blank", `password=${one}\\ ${two} b`, "password=[redacted:password] b"],
    ["an escaped line end", `token=${one}${two}\\\n${two}\nb`, "token=[redacted:secret]\nb"],
  ])("TRUST-1: is replaced as a whole: %s", (_, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  test("TRUST-1: what follows another value stays", () => {
    const object = `{"password":"${one}","user":"bob"}`;
    expect(redact(object)).toBe('{"password":"[redacted:password]","user":"bob"}');
    const command = `docker run -e TOKEN=${one}${two} \\\n  image`;
    expect(redact(command)).toBe("docker run -e TOKEN=[redacted:secret] \\\n  image");
    const sum = `const password = "${one}" + suffix;`;
    expect(redact(sum)).toBe('const password = "[redacted:password]" + suffix;');
  });
});
