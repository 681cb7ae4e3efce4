import { expect, test } from "vitest";
import { variants } from "../../test/test-size.ts";
import { redact } from "./redact.ts";
import { redactPiece } from "./redact-piece.ts";

const body = "q7Rw2Zk9Xv4Tn8Lp3Bs6Hd1Mf5Gc0JyAuEiW";
const key = `-----BEGIN RSA PRIVATE KEY-----\n${`${body}${body}\n`.repeat(60)}-----END RSA PRIVATE KEY-----`;

function pieces(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const { text: part, end } = redactPiece(text, from, redact);
    parts.push(part);
    from = end;
  }
  return parts;
}

test.each(
  variants(
    [
      ["a name and its value on the next line", `the password:\n    Tr0ub4dor9-${body}\n`],
      ["a name and its value without a space", `x;password=hunter2-abc;`],
      ["a token in a line without a space", `"a":"ghp_${body}",`],
      ["a private key", `${key}\n`],
      ["a private key in JSON", `${JSON.stringify({ key })},`],
      ["a value in quotes", `{"client_secret": "${body.slice(0, 20)}", "a": 1}\n`],
      ["a header", `Authorization: Bearer ${body}\n`],
      ["a sentence", `the password is ${body.slice(0, 20)}.\n`],
      ["characters of two units", "😀"],
      ["a name without a secret", "password:"],
    ],
    3,
  ),
)("TRUST-1, TRUST-12: the pieces of a long text are what it is whole: %s", (_, unit) => {
  for (const shift of [0, 7]) {
    const text = `${"x".repeat(shift)} ${unit.repeat(Math.ceil(150_000 / unit.length))}`;
    const parts = pieces(text);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.join("") === redact(text)).toBe(true);
    for (const part of parts) expect(part.isWellFormed()).toBe(true);
  }
});

test("TRUST-1, TRUST-12: a value that is longer than a piece is redacted whole", () => {
  const text = `before password=${body.repeat(5000)} after`;
  expect(pieces(text).join("")).toBe("before password=[redacted:password] after");
});
