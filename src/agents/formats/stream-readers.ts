import type { StreamFormat } from "../../base/stream-format.ts";
import type { SkillFolder } from "../agent.ts";
import type { OpenStream } from "../session/session-stream.ts";
import { loginHint as claudeLoginHint } from "./claude-failure.ts";
import { claudeStream } from "./claude-stream.ts";
import { codexLoginHint, codexStream } from "./codex-stream.ts";
import { textStream } from "./text-stream.ts";

interface StreamReader {
  readonly open: OpenStream;
  /** The instruction for a user to log in to the program that writes the format. */
  readonly loginHint: string | null;
  /** The folder of a project whose skills that program lists by itself; null: unknown. */
  readonly listsSkills: SkillFolder | null;
}

/** The reader of each format that the agent `command` may name. */
export const streamReaders: Readonly<Record<StreamFormat, StreamReader>> = {
  text: {
    open: textStream,
    loginHint: "Log in to the agent that agents.command.argv starts, then run ralph again.",
    listsSkills: null,
  },
  "claude-stream-json": {
    open: claudeStream,
    loginHint: claudeLoginHint("auth"),
    listsSkills: ".claude/skills",
  },
  "codex-json": { open: codexStream, loginHint: codexLoginHint, listsSkills: ".agents/skills" },
};
