import { expect, test } from "vitest";
import { redact } from "./redact.ts";

test("TRUST-1: time grows with the length, whatever the text", () => {
  const size = 60_000;
  for (const unit of [
    "a",
    " ",
    "key=",
    "token=",
    "token ",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "eyJ",
    "eyJaaaaaaaaaaaaaaaa-",
    "xoxb-",
    '"',
    "\\",
    'password: "',
    " -u a",
    "authorization: ",
    "0123456789abcdef",
    "aglpat-",
    "kind: Secret\n",
    "password=a,",
    "password=Tr0ub4dor9&",
    "password: 'Tr0ub4dor9\"",
    'password: "Tr0ub4dor9\\',
    `password: \\"Tr0ub4dor9'`,
    "password: 'x\\",
    "a\npassword=Tr0ub4dor9;",
    "password=Tr0ub4dor9(",
    "token[",
    "AIzaSy",
    "fm2_",
    "1234",
    "csrf_token=",
    "\u001b[31m",
    "\u001b[31mpassword=",
    "ghp_\u001b[1m",
    "\u001b[1;",
    "\u001b]8;;",
    "\\u001b]8;;x",
    "\\e]",
    "^[[",
    "[1;1;",
    "\\u001b[0m",
    "\\u003c",
    "password\\u003d",
    "\\u0022",
    "\u200b",
    "a\0",
  ]) {
    const text = unit.repeat(Math.ceil(size / unit.length));
    const begin = process.cpuUsage();
    redact(text);
    // A quadratic rule takes 1.6 seconds here; a linear one 0.03 s.
    expect(process.cpuUsage(begin).user / 1000, unit).toBeLessThan(500);
  }
});

test("TRUST-1, TRUST-12: names without end whose values are no secrets take a bounded time per character", () => {
  const usual = cpuMsOf("const name = other(value)\n");
  // Up to 100 times as long when each name has its value examined whole.
  for (const unit of ["password:", "Pwd=", "api_key=api_key= ", "api_key=1", "password:\n", "token=", "key="])
    expect(cpuMsOf(unit) / usual, unit).toBeLessThan(30);
});

/** The least processor time that the redaction of 100,000 characters takes. */
function cpuMsOf(unit: string): number {
  const times = [1, 2, 3].map((round) => {
    const text = `${round} ${unit.repeat(Math.ceil(100_000 / unit.length))}`;
    const begin = process.cpuUsage();
    redact(text);
    return process.cpuUsage(begin).user / 1000;
  });
  return Math.min(...times);
}
