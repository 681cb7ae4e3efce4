import type { StreamFormat } from "../../base/shared-settings.ts";
import type { StreamReader } from "../port/session-stream.ts";
import { claudeFormat } from "./claude-stream.ts";
import { piFormat } from "./pi-stream.ts";
import { textFormat } from "./text-stream.ts";

/** The reader of each format that the agent `command` may name. */
export const streamReaders: Readonly<Record<StreamFormat, StreamReader>> = {
  text: textFormat,
  "claude-stream-json": claudeFormat,
  "pi-json": piFormat,
};
