/** A flag of an earlier ralph that stands for a command. */
interface CompatibilityFlag {
  readonly flag: `--${string}`;
  /** The words of the command. */
  readonly command: string;
}

/** Flags that `ralph FLAG` accepts in place of a command (SKILL-6). */
export const compatibilityFlags: readonly CompatibilityFlag[] = [
  { flag: "--aggregate", command: "learnings aggregate" },
  { flag: "--show-learnings", command: "learnings show" },
  { flag: "--generate-skills", command: "skills generate" },
  { flag: "--skill-stats", command: "skills stats" },
];
