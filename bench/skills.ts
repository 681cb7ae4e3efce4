// npm run bench:skills [-- --json] [-- --short]: attempts per task with skills, without, and after the retirement of those
// that do harm, and how many of those ralph proposes to retire within 20 trials. Needs no data.
import { neutralShares } from "./skills/neutral-skills.ts";
import { type FamilyKind, runPhases } from "./skills/run-phases.ts";

const args = process.argv.slice(2);
const short = args.includes("--short");
const size = short
  ? { helpful: 1, harmful: 1, tasks: 1, trials: { helpful: 10, harmful: 20 }, noise: 0 }
  : { helpful: 20, harmful: 10, tasks: 3, trials: { helpful: 20, harmful: 20 }, noise: 0.1 };

const { phases, proposed } = await runPhases(size);
const neutral = neutralShares(short ? 200 : 4000);

if (args.includes("--json")) console.log(JSON.stringify({ size, phases, proposed, neutral }));
else {
  const percent = (share: number): string => `${(100 * share).toFixed(0)}%`;
  const cells = (kind: FamilyKind, phase: (typeof phases)[number]): string =>
    `${phase[kind].attempts.toFixed(2)} | ${percent(phase[kind].solved)}`;
  console.log(
    [
      `${size.helpful} families with a helpful skill and ${size.harmful} with a harmful one; one attempt in ten turns out the other way`,
      "",
      "| | helpful: attempts per task | solved | harmful: attempts per task | solved |",
      "|---|---|---|---|---|",
      ...phases.map((phase) => `| ${phase.name} | ${cells("helpful", phase)} | ${cells("harmful", phase)} |`),
      "",
      `Proposed for retirement within ${size.trials.harmful} trials, half of them held out: ${proposed.harmful} of ${size.harmful} harmful skills, ${proposed.helpful} of ${size.helpful} helpful ones.`,
      `Of ${neutral.skills} simulated skills without an effect, ${percent(neutral.within20)} would be proposed within 20 trials and ${percent(neutral.within100)} within 100.`,
    ].join("\n"),
  );
}
