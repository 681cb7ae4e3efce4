import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyText } from "../../test/any-text.ts";
import { redact } from "./redact.ts";
import { registerSecrets } from "./registered-secrets.ts";
import { stripControls } from "./strip-controls.ts";

// Put together at run time, lest scanners take this file for a leak.
const body = "q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW";
const token = `ghp_${body}`;
const value = body.slice(0, 20);
const registered = "Zq8vT3mLpX7wKd2NsR5yBh9c";
registerSecrets([registered]);

/** ESC as terminals, JSON, JSON within JSON, Python, C, shells, Rust and `cat -v` write it. */
const escapes = ["\u001b", "\\u001b", "\\\\u001B", "\\x1b", "\\033", "\\e", "\\u{1b}", "^["];

describe("TRUST-1: secrets that controls interrupt", () => {
  test.each(escapes)("TRUST-1: a coloured token, ESC written as %j", (esc) => {
    for (const before of ["", "see ", "the word", '"', "\\n"])
      expect(redact(`${before}${esc}[31m${token}${esc}[m`)).toBe(
        `${before}${esc}[31m[redacted:github]${esc}[m`,
      );
    const parts = [token.slice(0, 6), token.slice(6, 20), token.slice(20)];
    expect(redact(`x=${parts.join(`${esc}[01;31m${esc}[K`)} y`)).toBe("x=[redacted:github] y");
  });

  test.each([
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\0",
    "\b",
    "\\u0000",
    "\\u200b",
    "\ufe0f",
    "\u{e0041}",
  ])("TRUST-1: a token with %j in it", (char) => {
    expect(redact(`a ${token.slice(0, 9)}${char}${token.slice(9)} b`)).toBe("a [redacted:github] b");
    expect(redact(`a${char}${token} b`)).toBe(`a${char}[redacted:github] b`);
  });

  test.each([
    [`ESC[1mAPI_KEYESC[0m=ESC[32m${value}ESC[0m`, "ESC[1mAPI_KEYESC[0m=ESC[32m[redacted:secret]ESC[0m"],
    [`api_ESC[1mkeyESC[0m: ${value}`, "api_ESC[1mkeyESC[0m: [redacted:secret]"],
    [
      `export AWS_SECRET_ACCESS_KEY=ESC[33m${value}/${value}ESC[0m`,
      "export AWS_SECRET_ACCESS_KEY=ESC[33m[redacted:secret]ESC[0m",
    ],
    [
      `ESC[36mAuthorizationESC[39;49;00m: ESC[33mBearer ${value}ESC[39;49;00m`,
      "ESC[36mAuthorizationESC[39;49;00m: ESC[33mBearer [redacted:authorization]ESC[39;49;00m",
    ],
    [`{"o":"ESC[32mpassword=hunter2-abcESC[0m"}`, `{"o":"ESC[32mpassword=[redacted:password]ESC[0m"}`],
    ["postgres://app:ESC[31mh0pk1nsESC[m@db", "postgres://app:ESC[31m[redacted:url-password]ESC[m@db"],
    [`ESC[31moldESC[mESC[32m${token}ESC[m`, "ESC[31moldESC[mESC[32m[redacted:github]ESC[m"],
    [`a ${registered.slice(0, 6)}ESC[01;31mESC[K${registered.slice(6)}ESC[m b`, "a [redacted:env]ESC[m b"],
  ])("TRUST-1: %s", (text, expected) => {
    for (const esc of escapes)
      expect(redact(text.replaceAll("ESC", esc))).toBe(expected.replaceAll("ESC", esc));
  });

  test("TRUST-1: a token behind a link, a title or another character set", () => {
    for (const before of [
      "\u001b]8;;https://example.org\u001b\\",
      "\\u001b]8;;https://example.org\\u001b\\\\",
      "\u001b]0;title\u0007",
      "\\u001b]0;title\\u0007",
      "reset\u001b(B\u001b[m",
    ])
      expect(redact(`${before}${token} b`)).toBe(`${before}[redacted:github] b`);
  });
});

test.each([
  [`{"a":"\\u003c${token}\\u003e"}`, '{"a":"\\u003c[redacted:github]\\u003e"}'],
  [`\\u201c${token}\\u201d`, "\\u201c[redacted:github]\\u201d"],
  [`x\\u0026${token}`, "x\\u0026[redacted:github]"],
  [`x%3D${token} x%253D${token}`, "x%3D[redacted:github] x%253D[redacted:github]"],
  [
    "\\u003cpassword\\u003eTr0ub4dor-9\\u003c/password\\u003e",
    "\\u003cpassword\\u003e[redacted:password]\\u003c/password\\u003e",
  ],
  ['{"t":"DB_PASSWORD\\u003dTr0ub4dor93kq"}', '{"t":"DB_PASSWORD\\u003d[redacted:password]"}'],
  [
    '{"t":"password\\\\u003dTr0ub4dor93kq\\\\u0026a\\\\u003db"}',
    '{"t":"password\\\\u003d[redacted:password]\\\\u0026a\\\\u003db"}',
  ],
  [`"api_key\\u0022:\\u0022${value}\\u0022"`, '"api_key\\u0022:\\u0022[redacted:secret]\\u0022"'],
  // The escaped quote is part of the value.
  ['{"password": "Tr0ub4dor9\\u0022dor4&x", "a": 1}', '{"password": "[redacted:password]", "a": 1}'],
])("TRUST-1: the escapes of JSON and URLs before and in a secret: %s", (text, expected) =>
  expect(redact(text)).toBe(expected),
);

test.each([
  "\u001b[31mghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\u001b[m",
  "\u001b[1mpassword\u001b[0m: \u001b[33mhash(input2)\u001b[0m",
  "\\u003cb\\u003ebold\\u003c/b\\u003e and \\u001b[1mbold\\u001b[0m",
  "C:\\users\\u0041\\token",
  "src/a.ts\0src/token.ts\0src/secret-key.ts\0",
  "👩‍👩‍👧 ✅\ufe0f token: none",
  "/^[[a-z]+]/.test(token)",
])("TRUST-1: %j is left alone", (text) => expect(redact(text)).toBe(text));

test("TRUST-1: whatever interrupts a secret, none is left, and redacting twice is redacting once", () => {
  const noise = fc.constantFrom(
    ...["\u001b[1m", "\u001b[01;31m\u001b[K", "\\u001b[0m", "\u200b", "\0", "\u001b(B", "\\u200b", "", ""],
  );
  const secrets = [token, registered, `password=${value}`];
  const pieces = fc.array(fc.oneof(fc.constantFrom(...secrets), anyText(), noise), { maxLength: 8 });
  fc.assert(
    fc.property(
      pieces,
      fc.constantFrom(...secrets),
      fc.array(noise, { maxLength: 60 }),
      (some, secret, cuts) => {
        const cut = [...secret].map((char, at) => `${char}${cuts[at] ?? ""}`).join("");
        const once = redact(`${some.join("\n")}\n${cut}\n`);
        const shown = stripControls(once.replaceAll("\\u001b[0m", "").replaceAll("\\u200b", ""));
        for (const one of [token, registered, value]) expect(shown).not.toContain(one);
        expect(redact(once)).toBe(once);
        const visible = stripControls(once);
        expect(redact(visible)).toBe(visible);
      },
    ),
    { numRuns: 300 },
  );
});
