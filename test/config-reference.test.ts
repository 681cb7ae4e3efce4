import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { configReference, documentedKey } from "../scripts/config-reference.ts";
import { settingKeys } from "../src/config/keys.ts";

test("UX-5: the configuration reference of the guide is up to date (npm run docs:config)", () => {
  const written = readFileSync("docs/guide/configuration.md", "utf8");
  expect(written).toBe(configReference());
  for (const { key, description } of settingKeys) {
    expect(written).toContain(`| \`${documentedKey(key)}\` |`);
    expect(written).toContain(description.replaceAll("|", "\\|"));
  }
});
