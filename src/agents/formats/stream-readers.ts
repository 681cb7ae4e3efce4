import type { StreamFormat } from "../../base/shared-settings.ts";
import type { StreamReader } from "../session/session-stream.ts";
import { claudeFormat } from "./claude/claude-format.ts";
import { codexFormat } from "./codex-stream.ts";
import { geminiFormat } from "./gemini-stream.ts";
import { opencodeFormat } from "./opencode-stream.ts";
import { piFormat } from "./pi-stream.ts";
import { textFormat } from "./text-stream.ts";

/** The reader of each format that the agent `command` may name. */
export const streamReaders: Readonly<Record<StreamFormat, StreamReader>> = {
  text: textFormat,
  "claude-stream-json": claudeFormat,
  "codex-json": codexFormat,
  "opencode-json": opencodeFormat,
  "gemini-stream-json": geminiFormat,
  "pi-json": piFormat,
};
