import { Readable } from "node:stream";
import type { LoopSetup } from "../../loop/rows/loop.ts";
import { maxAnswerBytes, type RunAnswer } from "../../service/protocol.ts";
import { createSession } from "../project/session.ts";
import type { Project, Session, Surroundings } from "../shell/command.ts";

/** Returns the function with which a run executes what its agents ask for, in its own project and in their iteration's name. */
export function answerRequests({ around: { execute } }: Session, opened: Project): LoopSetup["answer"] {
  const project = { ...opened, close: () => opened.log.flush() };
  return async (request, iteration) => {
    const output = captured();
    const around: Surroundings = {
      cwd: request.kind === "command" ? request.cwd : project.root,
      stdin: Readable.from(request.kind === "command" ? [Buffer.from(request.input ?? "")] : []),
      ...output.streams,
      inside: { project, iteration },
      execute,
    };
    if (request.kind === "command") return output.answer(await execute(request.words, around));
    const { callTool } = await import("../../mcp/call-tool.ts");
    const { withToolActions } = await import("./tool-actions.ts");
    const session = createSession({}, around);
    const { isError, content } = await callTool(request, (work) =>
      withToolActions(session, request.agent, work),
    );
    return { code: isError ? 1 : 0, stdout: content[0].text, stderr: "" };
  };
}

/** Collects output up to the size of an answer, which a longer one is refused for. */
function captured(): {
  readonly streams: Pick<Surroundings, "stdout" | "stderr">;
  readonly answer: (code: number) => RunAnswer;
} {
  const texts = { stdout: "", stderr: "" };
  const into = (name: keyof typeof texts) => ({
    write: (text: string): void => {
      if (texts[name].length <= maxAnswerBytes) texts[name] += text;
    },
  });
  return {
    streams: { stdout: into("stdout"), stderr: into("stderr") },
    answer: (code) => ({ code, ...texts }),
  };
}
