import { type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { fence } from "../../trust/fence.ts";
import { safeText } from "../../trust/safe-text.ts";
import type { SkillFile } from "./store/read-skill-files.ts";

const describedChars = 400;
const shortChars = 100;
/** Fewer characters of a skill's body are not worth their frame. */
const minBodyChars = 300;

/** A skill with its path in one line, and in a shorter one. */
export function renderLine({ name, description, paths: [path = safe``] }: SkillFile): {
  readonly text: SafeText;
  readonly short: SafeText;
} {
  const line = (max: number): SafeText => safe`- \`${name}\` (\`${path}\`): ${clip(description, max)}`;
  return { text: line(describedChars), short: line(shortChars) };
}

/** The one line about a skill that the agent lists and loads by itself. */
export function renderHint(name: SafeText, path: SafeText): SafeText {
  return safe`Skill \`${name}\` fits this task: load it (\`${path}\`).`;
}

/** A skill's text in a fence that it cannot close. */
export function renderBody({ name, body }: SkillFile, seed: string): SafeText {
  return safe`\nThe skill \`${name}\`:\n${fence(body, seed)}`;
}

/** As `renderBody`, cut at a line to at most `room` characters; "" if too little of it fits. */
export function fitBody(skill: SkillFile, seed: string, room: number): SafeText {
  const { body, paths } = skill;
  const note = safe`\n(${safeText(paths[0] ?? "")} has more.)`;
  const frame = renderBody({ ...skill, body: safe`` }, seed).length + note.length;
  const start = body.slice(0, Math.max(0, room - frame));
  const kept = start.slice(0, Math.max(0, start.lastIndexOf("\n")));
  if (kept.length < minBodyChars) return safe``;
  const text = safe`${renderBody({ ...skill, body: kept }, seed)}${note}`;
  return text.length <= room ? text : safe``;
}
