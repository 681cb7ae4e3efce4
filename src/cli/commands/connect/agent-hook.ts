import { fixable } from "../../../base/errors.ts";
import type { SafeText } from "../../../base/safe-text.ts";
import { safeJson, safeLine } from "../../../trust/safe-text.ts";
import { isConnectedSession } from "../../project/connected-session.ts";
import type { CommandSpec, Project, Session } from "../../shell/command.ts";
import { memoriesAtStart, memoriesForPrompt } from "./recall-memories.ts";
import {
  type HookEvent,
  type HookInput,
  hookEvents,
  readHookInput,
  resetSessionState,
} from "./session-state.ts";
import { recordTree, verifyTurn } from "./verify-turn.ts";

/** `ralph agent-hook`: what the hooks of `ralph connect` call (AGENT-8). */
export const command: CommandSpec = {
  description:
    "The hooks of `ralph connect claude` and `ralph connect codex` call this command; it reads the hook's input from standard input and prints the answer. SessionStart and UserPromptSubmit add at most 5 fitting learnings and 1,500 characters. Stop runs the project's approved verification when the turn changed the project, and returns the session to work if it fails. Prints nothing inside an iteration of `ralph run` or outside a project.",
  examples: ["ralph agent-hook SessionStart"],
  arguments: [{ name: "<event>", description: "the hook", choices: hookEvents }],
  options: [
    { flags: "--verify", description: "the session's turns are verified: note the state of the files" },
  ],
  run: async (session, { args, options }) => {
    const event = hookEvents.find((known) => known === args["event"]);
    if (!event || !isConnectedSession(session.cwd)) return;
    const input = await readHookInput(process.stdin);
    if (!input) return;
    const answer = await withProject(session, (project) =>
      answerTo(event, { session, project, input, verifies: options["verify"] === true }),
    );
    if (answer) session.out(safeJson(answer));
  },
};

/** Opens the project; a project that cannot be opened has no answer, as a hook must not disturb the session. */
async function withProject(
  session: Session,
  work: (project: Project) => Promise<object | null>,
): Promise<object | null> {
  let project: Project | undefined;
  try {
    project = await session.openProject();
    return await work(project);
  } catch (error) {
    session.note(safeLine(`ralph: ${fixable(error).message}`));
    return null;
  } finally {
    await project?.close();
  }
}

interface Hook {
  readonly session: Session;
  readonly project: Project;
  readonly input: HookInput;
  readonly verifies: boolean;
}

async function answerTo(
  event: HookEvent,
  { session, project, input, verifies }: Hook,
): Promise<object | null> {
  switch (event) {
    case "SessionStart": {
      // A resumed session still has what it was given.
      if (input.source === "resume") return null;
      await resetSessionState(input.sessionId, session.clock.now());
      return contextOf(event, await memoriesAtStart(session, project, input));
    }
    case "UserPromptSubmit": {
      if (verifies) await recordTree(project, input);
      return contextOf(event, await memoriesForPrompt(session, project, input));
    }
    case "Stop": {
      const { block, note } = await verifyTurn(session, project, input);
      const shown = note === null ? null : { systemMessage: note };
      return block === null ? shown : { decision: "block", reason: block, ...shown };
    }
  }
}

function contextOf(event: HookEvent, text: SafeText): object | null {
  if (text === "") return null;
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
}
