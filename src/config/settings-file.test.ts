import { expect, test } from "vitest";
import { parseYaml } from "../base/yaml.ts";
import { editedSettings, settingsFile } from "./settings-file.ts";

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
  [
    [{ run: "npm test", timeoutMs: null, in: "packages/a b", when: ["packages/a b/**"] }],
    [{ run: "npm test", in: "packages/a b", when: ["packages/a b/**"] }],
  ],
])(
  "UX-1: the smallest configuration says agent and verification, whatever stands in them (%#)",
  (verify, read) => {
    const { value } = parseYaml(settingsFile({ agent: "claude", verify }), { file: "config.yaml" });
    expect(value).toEqual({ agent: "claude", verify: read });
  },
);

test("UX-1: edited settings keep comments and everything else", () => {
  const text = `# mine
agent: command # why
limits: { maxAttempts: 3 }
agents:
  # a comment
  command: { argv: [node, x] }
verify: [old]
`;
  expect(editedSettings(text, { verify: [{ run: "npm test", timeoutMs: null }] })).toBe(
    text.replace("verify: [old]", 'verify:\n  - "npm test"'),
  );
  const blocks = "verify: # old\n  - old\n  - older\n\n# more\nmodel: opus\n";
  expect(editedSettings(blocks, { verify: [{ run: "x", timeoutMs: null }] })).toBe(
    'verify:\n  - "x"\n\n# more\nmodel: opus\n',
  );
  expect(editedSettings("{ verify: [old], model: opus }", { agent: "claude" })).toBe(
    "{ verify: [ old ], model: opus, agent: claude }\n",
  );
  expect(editedSettings("model: opus", { verify: [] })).toBe("model: opus\nverify: []\n");
  expect(editedSettings(text, { agent: "claude" })).toBe(text.replace("agent: command", "agent: claude"));
  expect(editedSettings("# empty\n", { agent: "claude" })).toContain("agent: claude\n");
});

test("UX-1: the comment that there is no verification goes with the first command, and a person's own stays", () => {
  const verify = [{ run: "npm test", timeoutMs: null }];
  const none = settingsFile({ agent: "claude", verify: [] });
  expect(editedSettings(none, { verify })).toBe(settingsFile({ agent: "claude", verify }));
  const mine = none.replace("work yet. For", "work so far. For");
  expect(editedSettings(mine, { verify })).toContain("work so far. For example");
});
