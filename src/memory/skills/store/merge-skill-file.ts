import { frontmatterHash, renderFrontmatter, renderGenerated, renderSkill } from "./render-skill.ts";
import type { SkillContent } from "./skill.ts";

/** A marked file: the text before and after the generated part. */
interface Marked {
  readonly before: string;
  readonly frontmatterHash: string;
  readonly after: string;
}

const begin = /^<!-- ralph:begin ([0-9a-f]{12}): .*-->[ \t]*$/gm;
const end = /^<!-- ralph:end -->[ \t]*$/gm;

/**
 * Returns the text of a skill's file with a new generated part, given its present text, null for a missing file. Text
 * outside the markers stays byte for byte, frontmatter included if a person changed it. Returns undefined for a file
 * that a person wrote: one without exactly one pair of markers.
 */
export function mergeSkillFile(existing: string | null, skill: SkillContent): string | undefined {
  if (existing === null) return renderSkill(skill);
  const marked = readMarked(existing);
  if (!marked) return undefined;
  return `${withFrontmatter(marked, skill)}${renderGenerated(skill)}${marked.after}`;
}

/** Checks whether ralph generated a part of this file. */
export function isGenerated(text: string): boolean {
  return readMarked(text) !== undefined;
}

function readMarked(text: string): Marked | undefined {
  const [first, ...more] = text.matchAll(begin);
  const [last, ...others] = text.matchAll(end);
  if (!first || !last || more.length + others.length > 0 || last.index < first.index) return undefined;
  return {
    before: text.slice(0, first.index),
    frontmatterHash: first[1] ?? "",
    after: text.slice(last.index + last[0].length),
  };
}

/** Replaces ralph's own frontmatter; one that a person changed stays. */
function withFrontmatter({ before, frontmatterHash: hash }: Marked, skill: SkillContent): string {
  const own = /^---\r?\n[\s\S]*?\r?\n---(?=\r?\n|$)/.exec(before)?.[0];
  if (own === undefined || frontmatterHash(own) !== hash) return before;
  return `${renderFrontmatter(skill)}${before.slice(own.length)}`;
}
