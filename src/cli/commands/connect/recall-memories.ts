import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { count } from "../../../base/text.ts";
import { openLearningActions } from "../../../memory/learning-actions.ts";
import { openMemoryActions } from "../../../memory/memory-actions.ts";
import { countTasks } from "../../../tasks/graph/task-store.ts";
import { fence } from "../../../trust/fence.ts";
import type { Project, Session } from "../../shell/command.ts";
import fittingLead from "./fitting-lead.md";
import { type HookInput, readSessionState, updateSessionState } from "./session-state.ts";
import startLead from "./start-lead.md";

/** Limits of what one hook adds to a session (AGENT-8). */
const maxMemories = 5;
const maxChars = 1500;

/** Returns what a session should know at its start: how much there is, and the proven learnings. */
export async function memoriesAtStart(
  session: Session,
  project: Project,
  input: HookInput,
): Promise<SafeText> {
  const now = (): Date => session.clock.now();
  const learnings = await openLearningActions({ ...project, now }).count({ status: ["active", "stale"] });
  const { pending } = await countTasks(project.db);
  if (learnings === 0 && pending === 0) return safe``;
  const stock = joinSafe([count(learnings, "learning"), count(pending, "open task")], ", ");
  const lead = safe`${startLead.trim()} ${stock}.`;
  return await withMemories(session, project, { input, lead, prompt: null, alone: true });
}

/** Returns the learnings that fit a person's prompt and that the session has not seen; "" for none. */
export async function memoriesForPrompt(
  session: Session,
  project: Project,
  input: HookInput,
): Promise<SafeText> {
  if (input.prompt.trim() === "") return safe``;
  const lead = fittingLead.trim();
  return await withMemories(session, project, { input, lead, prompt: input.prompt, alone: false });
}

interface Wanted {
  readonly input: HookInput;
  readonly lead: SafeText;
  readonly prompt: string | null;
  /** True: the lead is of use without memories. */
  readonly alone: boolean;
}

async function withMemories(
  session: Session,
  project: Project,
  { input, lead, prompt, alone }: Wanted,
): Promise<SafeText> {
  const { enabled, maxLearnings } = project.loaded.settings.memory;
  const { shown } = readSessionState(input.sessionId);
  const max = enabled ? Math.min(maxMemories, maxLearnings) : 0;
  const { root, db } = project;
  const now = (): Date => session.clock.now();
  const memory = openMemoryActions({ db, now });
  const found = await memory.recallForSession({ prompt, max, exclude: new Set(shown), root });
  let text = safe``;
  const used: string[] = [];
  let lines: readonly SafeText[] = [];
  for (const { id, line } of found) {
    const more = [...lines, line];
    const longer = safe`${lead}\n${fence(joinSafe(more, "\n"), input.sessionId)}`;
    if (longer.length > maxChars) continue;
    [text, lines] = [longer, more];
    used.push(id);
  }
  if (used.length > 0) await updateSessionState(input.sessionId, { shown: [...shown, ...used] });
  return used.length > 0 || !alone ? text : lead;
}
