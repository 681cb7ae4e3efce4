// npm run test:fuzz [-- INPUTS]: feeds every parser of text that an agent can write 20,000 inputs, or as many as stated, and
// searches the worst input of each. A million takes hours.
import { spawnSync } from "node:child_process";

const inputs = process.argv[2] ?? "20000";
if (!/^[1-9]\d{0,8}$/.test(inputs)) {
  process.stderr.write("usage: npm run test:fuzz -- [INPUTS]\n");
  process.exit(2);
}
const { status } = spawnSync(process.execPath, ["node_modules/vitest/vitest.mjs", "run", "test/fuzz"], {
  env: { ...process.env, RALPH_TEST_FUZZ: inputs },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
