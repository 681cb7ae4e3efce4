import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { defaultPermission } from "../../src/agents/sandbox.ts";
import { type Practice, practice } from "./practice.ts";

let project: Practice | undefined;

afterEach(() => project?.remove());

const taught = "The release check refuses a greeting without a dot at its end.";

/** Fails once; asked as the model `mini`, answers with `answer` and tries to change the project. */
async function projectWith(answer: string, config: string): Promise<Practice> {
  project = practice();
  const agent = join(project.home, "agent.mjs");
  project.write(
    "../home/agent.mjs",
    `import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
const prompt = readFileSync(0, "utf8");
const { RALPH_MODEL: model, RALPH_ATTEMPT: attempt } = process.env;
if (model === "mini") {
  appendFileSync(${JSON.stringify(join(project.home, "asked"))}, process.cwd() + "\\n" + prompt + "\\n");
  writeFileSync("here.txt", "x");
  console.log(${JSON.stringify(answer)});
} else {
  writeFileSync("greeting.txt", attempt === "1" ? "hello" : "hello.");
  console.log("The dot is what I forgot.\\n\\n<task-done>t-1</task-done>");
}
`,
  );
  const argv = JSON.stringify([process.execPath, agent]);
  project.write(
    ".ralph/config.yaml",
    `agent: command\nagents: { command: { argv: ${argv}, tiers: [small, large] } }
verifyBaseline: off
verify: ["grep -q '[.]$' greeting.txt || { echo 'Error: greeting has no dot'; exit 1; }"]\n${config}`,
  );
  project.git("add", "-A");
  project.git("commit", "-q", "-m", "configure ralph");
  await project.approveConfig();
  await project.addTasks(["Write the greeting"]);
  return project;
}

const record = JSON.stringify({
  successes: [],
  failures: [{ pattern: "No dot", category: "greeting", lesson: taught }],
  discoveries: [],
  missing_context: [],
  wished_for_skills: [],
});

test("LEARN-2: a cheap model is asked after failures, apart from the project, and what it says is kept with its name", async () => {
  const made = await projectWith(record, "learnings: { extract: failures, extractModel: mini }\n");
  const { code, events } = await made.run();
  expect(code).toBe(0);
  const asked = readFileSync(join(made.home, "asked"), "utf8");
  expect(asked.match(/^Answer with one JSON object/gm)).toHaveLength(1);
  expect(asked).toContain("The dot is what I forgot.");
  expect(asked).toContain("Error: greeting has no dot");
  expect(asked.split("\n")[0]).toMatch(/\.ralph\/tmp\/project\/extract$/);
  expect(events.filter(({ type }) => type === "learning.extracted")).toMatchObject([
    { model: "mini", said: 1 },
  ]);
  const kept = (await made.json("memory", "list")) as { lesson: string; provenance: { model: string } }[];
  const lesson = `No dot: ${taught}`;
  expect(kept.find((one) => one.lesson === lesson)).toMatchObject({
    topic: "greeting",
    provenance: { model: "mini" },
  });
  expect(made.git("status", "--porcelain")).toBe("");
});

test("AGENT-4, LEARN-2: the run header shows the permission; the model that is asked may read alone and has none of the tools that the agent at work has", async () => {
  const made = await projectWith("", "");
  const said = { type: "result", subtype: "success", is_error: false, result: "<task-done>t-1</task-done>" };
  made.write(
    "../home/claude.mjs",
    `#!${process.execPath}
import { appendFileSync, writeFileSync } from "node:fs";
appendFileSync(${JSON.stringify(join(made.home, "started"))}, JSON.stringify(process.argv.slice(2)) + "\\n");
if (!process.cwd().endsWith("extract")) writeFileSync("greeting.txt", "hello.");
console.log(JSON.stringify({ type: "system", subtype: "init", session_id: "s", model: "m" }));
console.log(${JSON.stringify(JSON.stringify(said))});
`,
  );
  chmodSync(join(made.home, "claude.mjs"), 0o755);
  const program = JSON.stringify(join(made.home, "claude.mjs"));
  made.write(
    ".ralph/config.yaml",
    `agent: claude\nagents: { claude: { program: ${program} } }\nlearnings: { extract: all }\n`,
  );
  made.git("commit", "-q", "-a", "-m", "another agent");
  await made.approveConfig();
  const ran = await made.ralph("run");
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain(`agent claude (${await defaultPermission({ level: "auto" })})`);
  const [work = "", asked = ""] = readFileSync(join(made.home, "started"), "utf8").trim().split("\n");
  expect(work).toContain("mcp__ralph");
  expect(asked).not.toContain("--permission-mode");
  expect(asked).toContain('"--tools","","--strict-mcp-config"');
  expect(asked).not.toContain("mcp__ralph");
});
