/** The formats of an agent's stdout that ralph reads; `src/agents/formats/stream-readers.ts` holds a reader for each. */
export const streamFormats = ["text", "claude-stream-json", "codex-json"] as const;

export type StreamFormat = (typeof streamFormats)[number];
