import { defaultStop, type StreamReader } from "../port/session-stream.ts";
import { claudeHints, refusalFromClaude } from "./claude-failure.ts";
import { claudeStream } from "./claude-stream.ts";
import { stateEventsEnv } from "./claude-turn.ts";

/** Claude Code with `--output-format stream-json --verbose`. SIGINT ends its tools too, and it still prints its result. */
export const claudeFormat: StreamReader = {
  open: claudeStream,
  explain: refusalFromClaude,
  endsWithEvent: true,
  stop: { ...defaultStop, signal: "SIGINT" },
  hints: claudeHints,
  listsSkills: ".claude/skills",
  env: stateEventsEnv,
};
