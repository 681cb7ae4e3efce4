import { safe } from "../../../base/safe-text.ts";
import { openLearningActions } from "../../../memory/learning-actions.ts";
import { openMemoryActions } from "../../../memory/memory-actions.ts";
import { type PageSource, servePage } from "../../../page/server.ts";
import { safeText } from "../../../trust/safe-text.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import type { MemoryLine, ViewModel } from "../../../view/model.ts";
import { sentPrompt } from "../../project/sent-prompt.ts";
import {
  type CommandSpec,
  type Invocation,
  inProject,
  type Project,
  type Session,
} from "../../shell/command.ts";
import { executeHere } from "../../view/execute.ts";
import { memoryLine, openWholeView } from "../../view/read-whole.ts";

/** `ralph dashboard`: the view as a page in the browser, on this machine alone (UX-3). */
export const command: CommandSpec = {
  description:
    "Serves a page with the run, its attempts, tasks, models and memory, and prints a link that signs one browser tab in, once, within a minute; press Enter for another. Only this machine can reach it. Each button executes the command that stands beside it. Ends with Ctrl-C.",
  examples: ["ralph dashboard", "ralph dashboard --read-only"],
  options: [{ flags: "--read-only", description: "show the commands, without buttons" }],
  run: inProject(async (session, project, { options }) => {
    const readOnly = options["readOnly"] === true;
    const source = sourceOf(session, project, options);
    const page = await servePage(source, { readOnly, now: () => session.clock.now().getTime() });
    const show = (): void => {
      const link = page.newLink();
      session.out(session.json ? storedJson({ url: link }) : link);
    };
    show();
    session.note(safe`hint: open this link within a minute; press Enter for another, Ctrl-C to end`);
    process.stdin.on("data", show);
    await new Promise<void>((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
    });
    process.stdin.off("data", show).pause();
    page.close();
  }),
};

/** How long a model that was read serves every open page. */
const freshMs = 250;

function sourceOf(session: Session, project: Project, options: Invocation["options"]): PageSource {
  const { db } = project;
  const view = openWholeView(session, project);
  let last: { readonly at: number; readonly model: Promise<ViewModel> } | undefined;
  return {
    read: () => {
      const at = session.clock.monotonic();
      if (!last || at - last.at > freshMs) last = { at, model: view.read() };
      return last.model;
    },
    find: (query) => (query.trim() === "" ? Promise.resolve([]) : find(session, project, query)),
    prompt: async (taskId, attempt) => {
      const { prompt } = await sentPrompt({ db, root: project.root }, taskId, attempt);
      return prompt === undefined ? null : safeText(prompt);
    },
    execute: (words) => executeHere(session, options, words),
  };
}

/** Searches the project's memory. The hivemind may be another program's, which no page starts. */
async function find(
  { clock }: Session,
  { db, root }: Project,
  query: string,
): Promise<readonly MemoryLine[]> {
  const now = () => clock.now();
  const wanted = { text: query, limit: 10, tags: [], scope: null };
  const { found } = await openMemoryActions({ db, now }).find(wanted);
  const learnings = openLearningActions({ db, root, now });
  return Promise.all(
    found.map(async ({ id, line }): Promise<MemoryLine> => {
      if (id.startsWith("l-")) return memoryLine(await learnings.get(id));
      const text = storedLine(line, 300);
      const unused = { shown: 0, passed: 0, helped: 0, verdict: null, proven: true, actions: [] };
      return { ...unused, id: storedText(id), text, status: safe`failure report`, origin: safe`` };
    }),
  );
}
