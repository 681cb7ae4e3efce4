import { expect, test } from "vitest";
import { registerSecrets } from "../trust/registered-secrets.ts";
import { redactAhead, redactObject } from "./redact-json.ts";

test("TRUST-1: text that holds JSON is still JSON after redaction, even if the secret includes a bracket", () => {
  const secret = 'hidden-value-0451"]';
  registerSecrets([secret]);
  const { tags, plain, list } = redactObject({
    tags: `["see ${secret}`,
    plain: `see ${secret}`,
    list: [`["${secret}`],
  });
  expect(plain).toMatch(/^see .*redacted/);
  for (const text of [tags, (list as readonly string[])[0]]) {
    expect(text).not.toContain(secret);
    expect(JSON.stringify(JSON.parse(String(text)))).toContain("redacted");
  }
});

test("text without a secret is unchanged to the byte", () => {
  const object = { a: '{ "spaced" :  1 }', b: [1, null, true, { c: "[" }], d: "{not json" };
  expect(redactObject(object)).toEqual(object);
});

test("TRUST-12 TRUST-1: a long list is redacted ahead while signals have their turn, then taken from there", async () => {
  const secret = "hidden-value-0452";
  registerSecrets([secret]);
  const name = (at: number): string => `src/${at}\n\t"\\\x1b[31m${"é".repeat(80)}`;
  const list = [secret, ...Array.from({ length: 8000 }, (_, at) => name(at))];
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const begin = process.cpuUsage();
  await redactAhead(list);
  const ahead = process.cpuUsage(begin).user;
  clearInterval(timer);
  expect(turns).toBeGreaterThan(2);
  const before = process.cpuUsage();
  const { files } = redactObject({ files: list });
  expect(process.cpuUsage(before).user).toBeLessThan(ahead / 4);
  expect(files).toEqual(list.map((text) => redactObject({ text })["text"]));
  expect((files as readonly string[])[0]).not.toContain(secret);
  registerSecrets(["src/7999\n"]);
  expect(JSON.stringify(redactObject({ files: list }))).not.toContain("src/7999");
  expect(() => list.push(secret)).toThrow("not extensible");
});
