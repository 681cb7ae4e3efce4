import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { parse } from "yaml";
import { workflowText } from "../../src/cli/commands/init/next-command.ts";
import { type Practice, practice, ralphStart } from "./practice.ts";

let project: Practice;
afterEach(() => project?.remove());

/** Knows one open pull request and keeps its body. */
const fakeGh = `#!/bin/sh
case "$2" in
list) cat ../url 2>/dev/null; exit 0 ;;
create) echo https://example.invalid/pull/1 > ../url ;;
esac
echo "$2" >> ../calls
cat ../url
`;
const agent = `cat > prompt.txt
rm prompt.txt
printf '%s\\n' "$RALPH_TASK_ID" > "$RALPH_TASK_ID.txt"
echo "<task-done>$RALPH_TASK_ID</task-done>"
`;

/** A clean machine with a program \`npm\` that installs ralph from the file that it is given. */
function machine(): string {
  const bin = join(dirname(project.dir), "bin");
  mkdirSync(bin);
  const start = [process.execPath, ...ralphStart].map((word) => `'${word}'`).join(" ");
  const npm = `#!/bin/sh
[ "$1 $2" = "install -g" ] && [ -f "$3" ] || { echo "npm $*: not found" >&2; exit 1; }
printf '#!/bin/sh\\nexec %s "$@"\\n' "${start}" > "${bin}/ralph"
chmod +x "${bin}/ralph"
`;
  for (const [name, text] of [
    ["npm", npm],
    ["gh", fakeGh],
  ] as const) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

interface Step {
  readonly run?: string;
  readonly uses?: string;
  readonly if?: string;
}

/** Runs the steps of the workflow in a clean clone, as a runner does; \`cached\`: the clone whose \`.ralph\` was saved. */
function night(n: number, bin: string, cached?: string): { readonly dir: string; readonly summary: string } {
  const base = dirname(project.dir);
  const dir = join(base, `clone-${n}`);
  project.git("clone", "-q", join(base, "remote.git"), dir);
  if (cached) cpSync(join(cached, ".ralph"), join(dir, ".ralph"), { recursive: true });
  const summary = join(base, `summary-${n}`);
  const env = {
    ...project.env,
    ...{ PATH: `${bin}:${process.env["PATH"]}`, HOME: join(base, `home-${n}`), XDG_STATE_HOME: "" },
    ...{ XDG_CONFIG_HOME: "", GITHUB_STEP_SUMMARY: summary, GITHUB_REF_NAME: "main", CI: "true" },
  };
  mkdirSync(env.HOME);
  const workflow = parse(readFileSync(join(dir, ".github/workflows/ralph.yml"), "utf8"));
  const steps: readonly Step[] = workflow.jobs.ralph.steps;
  for (const { run } of steps)
    if (run !== undefined) execFileSync("bash", ["-e", "-c", run], { cwd: dir, env, stdio: "pipe" });
  return { dir, summary: readFileSync(summary, "utf8") };
}

test("UX-8: the workflow of init --ci works on the list in a clean clone, and the next night goes on", async () => {
  project = practice({
    "agent.sh": agent,
    "tasks.md": "- [ ] Write one\n- [ ] Write two\n\n## Later\n",
    ".github/ralph-remembers-0.1.0.tgz": "",
    ".ralph/config.yaml": 'agent: command\nagents: { command: { argv: [sh, agent.sh] } }\nverify: ["true"]\n',
  });
  const { code, stderr } = await project.ralph("init", "--ci");
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining("wrote .github/workflows/ralph.yml: commit it"),
  ]);
  expect((await project.ralph("init", "--ci")).stderr).toContain("exists and was not changed");
  project.git("add", "-A");
  project.git("commit", "-qm", "run ralph at night");
  project.git("init", "-q", "--bare", "-b", "main", "../remote.git");
  project.git("remote", "add", "origin", "../remote.git");
  project.git("push", "-q", "origin", "main");

  const bin = machine();
  const first = night(1, bin);
  expect(first.summary).toMatch(/Write two[\s\S]*Write one/);
  project.git("fetch", "-q");
  expect(project.git("log", "--format=%s", "origin/main..origin/ralph/ci")).toMatch(
    /^Write two.*\nWrite one/,
  );
  // A person adds a task meanwhile, and has not merged.
  project.write("tasks.md", `${project.read("tasks.md")}- [ ] Write three\n`);
  project.git("commit", "-qam", "one more");
  project.git("push", "-q", "origin", "main");
  const second = night(2, bin, first.dir);
  expect(second.summary).toContain("Write three");
  expect(project.git("-C", "../remote.git", "show", "ralph/ci:tasks.md")).toBe(
    "- [x] Write one\n- [x] Write two\n\n## Later\n- [x] Write three",
  );
  expect(readFileSync(join(project.dir, "../calls"), "utf8")).toMatch(/^create\nedit\n$/);
});

test("UX-8: the workflow asks for nothing but published actions, and the guide shows it", () => {
  const text = workflowText({ agent: "claude", list: "tasks.md", setup: ["npm ci"] });
  const { jobs, permissions } = parse(text);
  const steps: readonly Step[] = jobs.ralph.steps;
  const used = steps.flatMap(({ uses }) => uses ?? []);
  for (const one of used)
    expect(one).toMatch(/^actions\/(?:checkout|setup-node|cache\/(?:restore|save))@v4$/);
  expect(permissions).toEqual({ contents: "write", "pull-requests": "write" });
  expect(readFileSync("docs/guide/github-actions.md", "utf8")).toContain(text);
});
