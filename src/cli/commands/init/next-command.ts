import { existsSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../../base/errors.ts";
import { safe } from "../../../base/safe-text.ts";
import { detectSetup } from "../../../outcome/detect-setup.ts";
import type { Reader } from "../../../store/port/db.ts";
import { countTasks } from "../../../tasks/graph/task-store.ts";
import { writeFileSafely } from "../../../trust/safe-file.ts";
import { safeText } from "../../../trust/safe-text.ts";
import type { Session } from "../../shell/command.ts";

const maxBytes = 1024 * 1024;
const openItem = /^[ \t]*(?:[-*+]|\d+[.)]) \[ \] \S/m;

/** Returns the next command after `ralph init`: import an existing task list, or add a task. */
export async function nextCommand(root: string, db: Reader): Promise<string> {
  const counts = await countTasks(db);
  if (Object.values(counts).some((n) => n > 0)) return counts.pending > 0 ? "ralph run" : "ralph status";
  const list = await findTaskList(root);
  return list === undefined ? 'ralph task add "title"' : `ralph task import ${list}`;
}

async function findTaskList(root: string): Promise<string | undefined> {
  for (const file of await candidates(root)) if (await holdsTasks(join(root, file))) return file;
  return undefined;
}

async function candidates(root: string): Promise<readonly string[]> {
  const changes = await readdir(join(root, "openspec", "changes")).catch(none);
  const names = changes.filter((name) => /^[A-Za-z0-9][\w.-]*$/.test(name) && name !== "archive").sort();
  return [
    "tasks.yaml",
    "tasks.yml",
    "tasks.md",
    "TODO.md",
    ...names.map((name) => `openspec/changes/${name}/tasks.md`),
  ];
}

function none(error: unknown): readonly string[] {
  if (["ENOENT", "ENOTDIR", "EACCES"].includes(systemCode(error) ?? "")) return [];
  throw error;
}

/** Returns true for a YAML list by its name, and for a Markdown file with an open item. */
async function holdsTasks(path: string): Promise<boolean> {
  try {
    const stats = await stat(path);
    if (!stats.isFile() || stats.size === 0 || stats.size > maxBytes) return false;
    return !path.endsWith(".md") || openItem.test(await readFile(path, "utf8"));
  } catch {
    // Missing or unreadable.
    return false;
  }
}

const name = ".github/workflows/ralph.yml";

/** Writes a workflow that runs ralph in GitHub Actions, unless there is one (UX-8). */
export async function writeWorkflow(session: Session, root: string): Promise<void> {
  const path = join(root, name);
  if (existsSync(path)) return session.note(safe`${name} exists and was not changed`);
  const [agent = "claude"] = (await session.loadSettings()).settings.agent;
  const list = (await findTaskList(root)) ?? "tasks.md";
  await writeFileSafely(path, workflowText({ agent, list, setup: detectSetup(root) }), { root, mode: 0o644 });
  const secret = agents[agent]?.secret;
  session.note(
    safe`wrote ${name}: commit it with .ralph/config.yaml, ${safeText(list)} and .github/ralph-remembers-0.1.0.tgz, which \`npm pack\` makes in ralph's folder${secret === undefined ? "" : safe`; then add the secret ${safeText(secret)}`}`,
  );
}

const agents: Readonly<Record<string, { readonly program: string; readonly secret: string }>> = {
  claude: { program: "@anthropic-ai/claude-code", secret: "ANTHROPIC_API_KEY" },
  codex: { program: "@openai/codex", secret: "OPENAI_API_KEY" },
  gemini: { program: "@google/gemini-cli", secret: "GEMINI_API_KEY" },
  opencode: { program: "opencode-ai", secret: "ANTHROPIC_API_KEY" },
  pi: { program: "@earendil-works/pi-coding-agent", secret: "ANTHROPIC_API_KEY" },
};

interface Contents {
  readonly agent: string;
  readonly list: string;
  /** Commands that install what verification needs. */
  readonly setup: readonly string[];
}

/** Returns the workflow. Its `run` steps need a clone with history, `gh`, and nothing of GitHub's but these variables. */
export function workflowText({ agent, list, setup }: Contents): string {
  const known = agents[agent];
  const steps = setup.map((command) => `      - run: ${command}\n`).join("");
  return `# Works on the open tasks and opens a pull request, or updates the one that is open. Written by \`ralph init --ci\`.
name: ralph
on:
  workflow_dispatch:
  schedule:
    - cron: "17 1 * * *"
permissions:
  contents: write
  pull-requests: write
# Two runs would work on the same tasks.
concurrency: ralph
jobs:
  ralph:
    runs-on: ubuntu-latest
    timeout-minutes: 70
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      # Tasks and memory of the nights before; the configuration is the one of the commit.
      - uses: actions/cache/restore@v4
        with:
          path: .ralph
          key: ralph-\${{ github.run_id }}-\${{ github.run_attempt }}
          restore-keys: ralph-
      - run: git restore .ralph
      - run: npm install -g ./.github/ralph-remembers-*.tgz
${known ? `      - run: npm install -g ${known.program}\n` : "      # Install your agent here, and give it its key below.\n"}${steps}      - run: |
          git config user.name "github-actions[bot]"
          git config user.email "41898282+github-actions[bot]@users.noreply.github.com"
          git switch ralph/ci || git switch -c ralph/ci
          git merge --no-edit "origin/$GITHUB_REF_NAME" || git merge --abort
      - run: ralph task import ${list}
      # What the commit makes ralph execute; a person reviewed it before it was merged.
      - run: ralph trust approve --yes
      # 3: tasks are left for the next night.
      - run: ralph run --pr --max-duration 50m || [ $? -eq 3 ]
        env:
          GH_TOKEN: \${{ github.token }}
${known ? `          ${known.secret}: \${{ secrets.${known.secret} }}\n` : ""}      - if: always()
        run: ralph report --md >> "$GITHUB_STEP_SUMMARY"
      - if: always()
        uses: actions/cache/save@v4
        with:
          path: .ralph
          key: ralph-\${{ github.run_id }}-\${{ github.run_attempt }}
`;
}
