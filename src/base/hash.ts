import { hash } from "node:crypto";
import type { SafeText } from "./safe-text.ts";

/** The SHA-256 of `data` in lower-case hex. */
export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}

/** Returns the first `digits` hex digits of the text's SHA-256. It is not in `safe-text.ts`, which reading commands load. */
export function safeHash(text: string, digits: number): SafeText {
  return sha256(text).slice(0, digits) as SafeText;
}
