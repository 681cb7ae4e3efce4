import { expect, test } from "vitest";
import { registerSecrets } from "../trust/registered-secrets.ts";
import { redactObject } from "./redact-json.ts";

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
