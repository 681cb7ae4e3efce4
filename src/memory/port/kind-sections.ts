/** A kind's section of the prompt. */
export interface KindSection {
  /** Its name in settings, templates and `--explain`, which `recall` uses too. */
  readonly name: string;
  /** One line for `ralph prompt export`. */
  readonly about: string;
  /** Maximum length in characters. */
  readonly maxChars: number;
  /** The section that it follows in the built-in prompt. */
  readonly after: string;
}

/** The sections that memory fills, in the order in which they spend the budget. */
export const kindSections: readonly KindSection[] = [
  {
    name: "attempts",
    about: "earlier attempts at this task and why they failed",
    maxChars: 3000,
    after: "notes",
  },
  { name: "learnings", about: "learnings relevant to the task", maxChars: 1500, after: "skills" },
  { name: "notes", about: "notes from earlier iterations", maxChars: 1500, after: "context" },
  {
    name: "hivemind",
    about: "what other projects learned about such a task",
    maxChars: 1500,
    after: "learnings",
  },
  { name: "skills", about: "skills that fit the task", maxChars: 4000, after: "stuck" },
  {
    name: "structured-context",
    about: "other tasks, the last events and the end of PROGRESS.md",
    maxChars: 2000,
    after: "learnings",
  },
  {
    name: "journal",
    about: "the journal of the change, which agents write",
    maxChars: 4000,
    after: "structured-context",
  },
];
