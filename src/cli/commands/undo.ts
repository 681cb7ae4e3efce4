import { safe } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { undoTask } from "../../loop/undo-task.ts";
import { leavingRecords } from "../../memory/hivemind-actions.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { safeLine } from "../../trust/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { NamedCommit } from "../../workspace/revert.ts";
import { assembleRun } from "../run/prepare-run.ts";
import { type CommandSpec, type Invocation, type Session, withProject } from "../shell/command.ts";
import { printResult, textOptions, usageError } from "../shell/io.ts";

/** Lists the commits, and asks on a terminal. Returns those to revert; null: none. */
async function chosenOf(
  session: Session,
  id: string,
  { commits, options }: { readonly commits: readonly NamedCommit[]; readonly options: Invocation["options"] },
): Promise<readonly string[] | null> {
  const kept = textOptions(options["keep"]);
  const isNamed = (hash: string): boolean => kept.some((name) => hash.startsWith(name));
  const hashes = commits.filter(({ hash }) => !isNamed(hash)).map(({ hash }) => hash);
  const unknown = kept.find((name) => name.length < 7 || !commits.some(({ hash }) => hash.startsWith(name)));
  if (unknown !== undefined)
    throw usageError(
      `--keep ${unknown}: no such commit of ${id}`,
      `use a hash that \`ralph log ${id}\` shows`,
    );
  if (commits.length === 0) return hashes;
  for (const { hash, author, subject, isRalphs } of commits) {
    const from = isRalphs ? safe`` : safe`, made during the session`;
    const what = isNamed(hash) ? safe`keeps ` : safe``;
    session.note(
      safe`${what}${safeLine(hash.slice(0, 9), 9)} ${safeLine(subject, 100)} (${safeLine(author, 40)}${from})`,
    );
  }
  const unsure = commits.filter(({ isRalphs }) => !isRalphs);
  if (unsure.length > 0 && kept.length === 0 && options["all"] !== true && !session.canAsk) {
    const [first] = unsure;
    const example = first?.hash.slice(0, 9) ?? "";
    throw usageError(
      `${count(unsure.length, "commit")} during the session of ${id} may be yours: git does not say whether an agent made a commit`,
      `\`ralph undo ${id} --all\` reverts all that are listed, \`ralph undo ${id} --keep ${example}\` all but that one`,
    );
  }
  const unlessYours = unsure.length > 0 && kept.length === 0 ? safe` (to keep one: --keep)` : safe``;
  const agreed = await session.confirm(safe`Revert ${count(hashes.length, "commit")}${unlessYours}?`, true);
  return agreed ? hashes : null;
}

/** `ralph undo TASK`: reverts a finished task's commits (LOOP-9). */
export const command: CommandSpec = {
  description:
    "Lists the task's commits and those that its agent, or you, made during the session, asks on a terminal, reverts them by new commits, unticks it in its source file and reopens it. Deletes the record of that work in the hivemind. The old commits stay in the history.",
  examples: ["ralph undo t-3fa9c1", "ralph undo t-3fa9c1 --keep 5f02c1a9e"],
  arguments: [{ name: "<task>", description: "the task's id" }],
  options: [
    { flags: "--all", description: "revert the session's other commits without asking whose they are" },
    {
      flags: "--keep <commit>",
      description: "keep a commit that you made during the session",
      multiple: true,
    },
  ],
  run: async (session, { args, options }) => {
    const id = String(args["task"]);
    return withProject(session, {}, async (project) => {
      await requireTask(project.db, id);
      const run = await assembleRun(session, project, { only: null, spec: null, template: null, options });
      const never = new AbortController().signal;
      const setup = {
        ...run,
        stop: never,
        forceStop: never,
        killable: <T>(work: () => Promise<T>) => work(),
      };
      const undone = await undoTask(setup, id, (commits) => chosenOf(session, id, { commits, options }));
      if (undone === null) return session.note("nothing was undone");
      const { reverted, head } = undone;
      printResult(
        session,
        { id, reverted, head },
        safe`undid ${storedText(id)}: reverted ${count(reverted.length, "commit")}; the task is pending again`,
      );
      const { count: left, problem } = await leavingRecords(project.db);
      if (left > 0) {
        const why = storedText(problem ?? "it is off here");
        session.note(
          safe`note: the hivemind still has ${count(left, "record")} of what was undone: ${why}; the next run deletes ${left === 1 ? "it" : "them"}`,
        );
      }
      session.note("hint: run `ralph run`");
    });
  },
};
