/** Where skills are: folders relative to the project, each with a folder per skill or a Markdown file per command. */
export interface SkillFolders {
  readonly dirs: readonly string[];
  readonly layout: "skills" | "commands";
}

/** Tags by glob: a task with a file that matches the glob gets skills as if it had the tags. */
export type FileRules = Readonly<Record<string, readonly string[]>>;

/** Where a project's skills are, and which files count as which tags. */
export interface SkillSettings extends SkillFolders {
  readonly fileRules: FileRules;
}
