import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { sha256 } from "../../base/hash.ts";
import { safe } from "../../base/safe-text.ts";
import { childEnvironment } from "../../config/environment.ts";
import { findProject } from "../../config/find-project.ts";
import { settingsFile } from "../../config/settings-file.ts";
import { writeFileSafely } from "../../trust/safe-file.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import { openWorkspace } from "../../workspace/open-workspace.ts";
import { agreeOnVerification } from "../init/agree-on-verification.ts";
import { type FoundAgent, findAgent } from "../init/find-agent.ts";
import { nextCommand } from "../init/next-command.ts";
import { preparePrivateFolder } from "../project/private-folder.ts";
import type { CommandSpec, Invocation, Session } from "../shell/command.ts";
import { listApprovable, projectApprovals } from "../trust/approval.ts";

/** `ralph init`: sets ralph up in this project (UX-1, LOOP-5). */
export const init: CommandSpec = {
  name: "init",
  summary: "set up ralph in this project",
  description:
    "Finds an agent, proposes verification commands, writes a minimal .ralph/config.yaml and creates the store. Never changes an existing configuration.",
  examples: ["ralph init", "ralph init --yes", 'ralph init --agent claude --verify "npm test"'],
  options: [
    { flags: "--agent <name>", description: "use this agent, even if it is not installed" },
    {
      flags: "--verify <command>",
      description: "verify with this command (repeatable)",
      multiple: true,
    },
    { flags: "--yes", description: "accept the proposals without asking" },
  ],
  run: async (session, { options }) => {
    const root = findProject(session.cwd)?.root ?? session.cwd;
    await openWorkspace(root, childEnvironment(), { needCommit: false });
    const path = join(root, ".ralph", "config.yaml");
    const config = existsSync(path) ? null : await compose(session, root, options);
    const next = await setUp(session, { root, path, config });
    report(session, { root, path, config, next });
    return 0;
  },
};

interface NewConfig {
  readonly agent: FoundAgent;
  readonly verify: Awaited<ReturnType<typeof agreeOnVerification>>;
  readonly content: string;
}

/** Decides everything before anything is written. */
async function compose(session: Session, root: string, options: Invocation["options"]): Promise<NewConfig> {
  const { settings } = await session.loadSettings();
  const wanted = typeof options["agent"] === "string" ? options["agent"] : null;
  const typed = Array.isArray(options["verify"]) ? options["verify"] : [];
  const agent = await findAgent(settings, wanted);
  const verify = await agreeOnVerification(session, root, { typed, yes: options["yes"] === true });
  const content = settingsFile({ agent: agent.name, verify: verify.map(({ command }) => command) });
  return { agent, verify, content };
}

interface Plan {
  readonly root: string;
  readonly path: string;
  /** Null when the project already has one. */
  readonly config: NewConfig | null;
}

/** Writes the missing files and returns the next command for the user. */
async function setUp(session: Session, { root, path, config }: Plan): Promise<string> {
  const approvals = projectApprovals(root);
  approvals.list();
  if (!config) await session.loadSettings();
  await preparePrivateFolder(root);
  if (config) await writeFileSafely(path, config.content, { root, mode: 0o644 });
  const project = await session.openProject({ create: true });
  try {
    const { items } = await listApprovable({ ...project, promptFile: null, db: null });
    const isWritten = config !== null && project.loaded.projectFile?.sha256 === sha256(config.content);
    if (isWritten) await approvals.approve(items);
    else if (items.some(({ approved }) => !approved)) return "ralph trust show";
    return await nextCommand(root, project.db);
  } finally {
    await project.close();
  }
}

function report(session: Session, { root, path, config, next }: Plan & { readonly next: string }): void {
  const agent = config?.agent ?? null;
  const verify = config?.verify.map(({ command, from }) => ({ run: command.run, from })) ?? null;
  if (session.json) {
    session.out(storedJson({ root, config: path, written: config !== null, agent, verify, next }));
    return;
  }
  const name = storedText(relative(session.cwd, path));
  if (config) {
    session.out(
      storedText(
        [`wrote ${name}`, ...describeAgent(config.agent), ...describeChecks(verify ?? [])].join("\n"),
      ),
    );
  } else session.out(safe`${name} exists and was not changed`);
  session.note(storedText(`next: ${next}`));
}

function describeAgent({ name, probe }: FoundAgent): readonly string[] {
  if (probe?.found) {
    const { program, version, problem } = probe;
    const line = `  agent   ${name} (${[program, version].filter(Boolean).join(" ")})`;
    return problem ? [`${line}: ${problem.detail}`, `          hint: ${problem.hint}`] : [line];
  }
  const hint = probe?.hint ?? "set its program in that file: agents: { command: { argv: [my-agent] } }";
  const other = probe ? "; or use any program with `agent: command`" : "";
  const state = probe ? "not installed yet" : "no program configured yet";
  return [`  agent   ${name}, ${state}`, `          hint: ${hint}${other}`];
}

function describeChecks(
  verify: readonly { readonly run: string; readonly from: string }[],
): readonly string[] {
  if (verify.length > 0) return verify.map(({ run, from }) => `  verify  ${run}  (${from})`);
  return [
    "  verify  none yet: a task counts as done when the agent says so and changed something",
    '          hint: set a command in that file, for example verify: ["npm test"]',
  ];
}
