import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { practice } from "./practice.ts";

const models = [
  {
    ...{ value: "opus", resolvedModel: "claude-opus-5-5", description: "Opus 5.5 · $4/$20 per Mtok" },
    supportedEffortLevels: ["low", "high", "max"],
  },
  { value: "haiku", resolvedModel: "claude-haiku-5-5", description: "Haiku" },
];
const answer = { type: "control_response", response: { subtype: "success", response: { models } } };

/** Answers what it offers, and leaves a file for any other start. */
const claude = (says: unknown): string => `#!/bin/sh
case "$*" in
  *--no-session-persistence*) read -r question; echo '${JSON.stringify(says)}';;
  --version) echo 2.1.332;;
  *) touch started;;
esac
`;

test("AGENT-4 AGENT-9: `ralph models` lists what the agent states; another tier or effort is refused before its first start", async () => {
  const made = practice();
  onTestFinished(() => made.remove());
  const use = async (tiers: string, says: unknown = answer): Promise<void> => {
    made.write("claude.sh", claude(says));
    made.write(
      ".ralph/config.yaml",
      `agent: claude\nagents: { claude: { program: ${made.dir}/claude.sh, tiers: ${tiers} } }\n`,
    );
    await made.approveConfig();
  };
  made.write("claude.sh", claude(answer));
  const { chmodSync } = await import("node:fs");
  chmodSync(join(made.dir, "claude.sh"), 0o755);
  await use("[haiku, opus]");
  await made.addTasks(["One"]);
  expect(await made.json("models")).toMatchObject([
    {
      agent: "claude",
      models: [
        { name: "opus", efforts: ["low", "high", "max"], price: { input: 4, output: 20 }, tier: true },
        { name: "haiku", means: "claude-haiku-5-5", efforts: null, tier: true },
      ],
    },
  ]);
  for (const [tiers, what, hint] of [
    ["[haiku, ops]", 'claude does not offer the model "ops"', "did you mean opus? `ralph models claude`"],
    ['["opus:ultra"]', 'claude does not offer the effort "ultra" for opus', "did you mean opus:max?"],
  ] as const) {
    await use(tiers);
    const { code, stderr } = await made.answer("run", "--once", "--allow-dirty", "--yes");
    expect([code, stderr]).toEqual([5, expect.stringContaining(`error: ${what}\nhint: ${hint}`)]);
    expect(existsSync(join(made.dir, "started"))).toBe(false);
  }
  // An agent that cannot answer is believed.
  await use("[haiku, ops]", { type: "error" });
  await made.answer("run", "--once", "--allow-dirty", "--yes");
  expect(existsSync(join(made.dir, "started"))).toBe(true);
});
