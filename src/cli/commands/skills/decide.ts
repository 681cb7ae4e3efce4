import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { shellWord } from "../../../base/text.ts";
import { decideSkills } from "../../../loop/decide-skills.ts";
import type { ProposalView, SkillActions, SkillDecision } from "../../../memory/skill-actions.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { painter } from "../../../ui/paint.ts";
import { skillDecider, skillsOf } from "../../project/skills-of.ts";
import { type CommandSpec, inProject, type Project, type Session } from "../../shell/command.ts";
import { usageError } from "../../shell/io.ts";

type DecidedSkill = Parameters<Parameters<typeof decideSkills>[2]>[0];

/** `ralph skills accept` (SKILL-3). */
export const accept: CommandSpec = {
  description:
    "Writes each proposed skill to the folders of `skills.dirs`, or retires it if that is proposed, in one commit of exactly these files. Your own text outside ralph's markers stays. Read what changes with `ralph skills diff`.",
  examples: [
    "ralph skills diff ios26-learned",
    "ralph skills accept ios26-learned",
    "ralph skills accept sp-3fa9c1",
    "ralph skills accept --all",
  ],
  arguments: [{ name: "[proposals...]", description: "ids of proposals, or names of skills" }],
  options: [{ flags: "--all", description: "accept all proposals" }],
  run: inProject(async (session, project, { args, options }) => {
    const actions = skillsOf(session, project);
    const ids = await chosenIds(actions, args["proposals"], options["all"] === true);
    // Unknown ones are refused before anything is written.
    for (const id of ids) await actions.planAccept(id);
    await decide(
      session,
      project,
      ids.map((id) => () => actions.planAccept(id)),
    );
    if (ids.length === 0) session.note("no proposal waits");
  }),
};

/** `ralph skills reject` (SKILL-3). */
export const reject: CommandSpec = {
  description: "Changes no file. The same evidence is not proposed again; a new pattern of the topic is.",
  examples: [
    "ralph skills reject ios26-learned",
    "ralph skills reject sp-3fa9c1",
    "ralph skills reject --all",
  ],
  arguments: [{ name: "[proposals...]", description: "ids of proposals, or names of skills" }],
  options: [{ flags: "--all", description: "reject all proposals" }],
  run: inProject(async (session, project, { args, options }) => {
    const actions = skillsOf(session, project);
    const rejected: { id: string; name: string }[] = [];
    for (const nameOrId of await chosenIds(actions, args["proposals"], options["all"] === true)) {
      const { id, name } = await actions.reject(nameOrId);
      rejected.push({ id, name });
      if (!session.json) session.out(safe`rejected ${storedText(id)} (${storedText(name)})`);
    }
    if (session.json) session.out(storedJson({ success: true, rejected }));
    else if (rejected.length === 0) session.note("no proposal waits");
  }),
};

/** `ralph skills retire` (SKILL-5). */
export const retire: CommandSpec = {
  description:
    "Deletes the files that ralph wrote for the skill, in one commit. From a file that you added text to, only the part between ralph's markers goes. Undo it with `ralph skills restore`.",
  examples: ["ralph skills retire ios26-learned", 'ralph skills retire ios26-learned --reason "outdated"'],
  arguments: [{ name: "<name>", description: "the skill's name" }],
  options: [{ flags: "--reason <text>", description: "why, for the commit and the history" }],
  run: inProject(async (session, project, { args, options }) => {
    const reason = typeof options["reason"] === "string" ? options["reason"] : null;
    const actions = skillsOf(session, project);
    await decide(session, project, [() => actions.planRetire(String(args["name"]), reason)]);
  }),
};

/** `ralph skills restore` (SKILL-5). */
export const restore: CommandSpec = {
  description: "Writes the files of a retired skill again, in one commit.",
  examples: ["ralph skills restore ios26-learned"],
  arguments: [{ name: "<name>", description: "the skill's name" }],
  run: inProject(async (session, project, { args }) => {
    const actions = skillsOf(session, project);
    await decide(session, project, [() => actions.planRestore(String(args["name"]))]);
  }),
};

/** Carries out decisions, each with a commit of its own, and prints what was done. */
async function decide(
  session: Session,
  project: Project,
  plans: readonly (() => Promise<SkillDecision>)[],
): Promise<void> {
  const decider = await skillDecider(session, project);
  const isCommitted = decider.workspace !== null;
  const done: DecidedSkill[] = [];
  try {
    await decideSkills(decider, plans, (decided) => {
      done.push(decided);
      if (!session.json) report(session, decided, isCommitted);
    });
  } finally {
    if (session.json && (done.length > 0 || plans.length === 0))
      session.out(storedJson({ success: done.length === plans.length, skills: done.map(decidedJson) }));
  }
}

const verbs = { accept: "accepted", change: "updated", retire: "retired", restore: "restored" } as const;

function report(session: Session, decided: DecidedSkill, isCommitted: boolean): void {
  const { skill, kind, changed, commit, uncommitted } = decided;
  const where = commit === null ? "" : safe` (commit ${storedText(commit.slice(0, 9))})`;
  session.out(safe`${verbs[kind]} ${storedText(skill.name)}${where}`);
  for (const path of changed) session.note(safe`  ${storedText(path)}`);
  if (changed.length === 0 && commit === null) session.note("  no file changed");
  if (uncommitted.length === 0) return;
  const files = uncommitted.map(shellWord).join(" ");
  if (isCommitted) session.note(safe`git ignores ${storedText(uncommitted.join(", "))}: not committed`);
  else
    session.note(
      safe`hint: commit them before the next run: git add -A ${storedText(files)} && git commit -m "Skill ${storedText(skill.name)}"`,
    );
}

function decidedJson({ skill, kind, changed, commit, uncommitted }: DecidedSkill): object {
  return { name: skill.name, kind, status: skill.status, files: changed, commit, uncommitted };
}

/** Returns the ids given, or those of all proposals that wait with `--all`. Throws `RALPH_USAGE` for neither or both. */
async function chosenIds(
  actions: SkillActions,
  given: string | readonly string[] | undefined,
  all: boolean,
): Promise<readonly string[]> {
  const ids = typeof given === "string" ? [given] : (given ?? []);
  if (ids.length > 0 === all) {
    throw usageError(
      all ? "ids and --all cannot be combined" : "no ids given",
      "run `ralph skills list` to see what waits, then name a proposal or use --all",
    );
  }
  return all ? (await actions.pending()).map(({ id }) => id) : [...new Set(ids)];
}

export const diff: CommandSpec = {
  description: "Shows the change of each file as a unified diff; without a proposal, of all that wait.",
  examples: ["ralph skills diff", "ralph skills diff ios26-learned", "ralph skills diff sp-3fa9c1"],
  arguments: [{ name: "[proposal]", description: "id of a proposal, or name of a skill" }],
  run: inProject(async (session, project, { args }) => {
    const named = args["proposal"];
    const actions = skillsOf(session, project);
    const proposals = await chosen(actions, named);
    const diffs: object[] = [];
    for (const proposal of proposals) {
      const { id, name, kind, reason } = proposal;
      const text = await actions.diff(proposal);
      diffs.push({ id, name, kind, reason, diff: text });
      if (session.json) continue;
      session.note(safe`${storedText(id)} ${kind} ${storedText(name)}: ${storedLine(reason, 300)}`);
      if (text !== "") session.out(coloured(session, text));
    }
    if (session.json) session.out(storedJson(diffs));
    else if (proposals.length === 0) session.note("no proposal waits");
    else session.note("hint: run `ralph skills accept` or `ralph skills reject` with the id");
  }),
};

async function chosen(
  actions: SkillActions,
  named: string | readonly string[] | undefined,
): Promise<readonly ProposalView[]> {
  if (typeof named !== "string") return actions.pending();
  const { proposal } = await actions.find(named);
  return proposal ? [proposal] : [];
}

const styles = [
  ["---", "bold"],
  ["+++", "bold"],
  ["@@", "info"],
  ["+", "good"],
  ["-", "bad"],
] as const;

function coloured({ screen }: Session, text: SafeText): SafeText {
  const paint = painter(screen.colour);
  const lines = text.split("\n").map((line) => {
    const style = styles.find(([start]) => line.startsWith(start))?.[1];
    return style ? paint(style, line) : line;
  });
  return joinSafe(lines, "\n");
}
