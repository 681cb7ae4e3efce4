import { expect, test } from "vitest";
import { parseYaml } from "../base/yaml.ts";
import { settingsFile } from "./settings-file.ts";

test.each([
  [[], []],
  [[{ run: 'echo "a: b" # no comment', timeoutMs: null }], ['echo "a: b" # no comment']],
  [
    [
      { run: "npm test", timeoutMs: null },
      { run: "npm run lint", timeoutMs: 90_000 },
    ],
    ["npm test", { run: "npm run lint", timeout: "90s" }],
  ],
])(
  "UX-1: the smallest configuration says agent and verification, whatever stands in them (%#)",
  (verify, read) => {
    const { value } = parseYaml(settingsFile({ agent: "claude", verify }), { file: "config.yaml" });
    expect(value).toEqual({ agent: "claude", verify: read });
  },
);
