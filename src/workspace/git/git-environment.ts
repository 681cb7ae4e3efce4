/** The caller's `GIT_*` variables that set identity and configuration; all others could redirect git. */
const kept = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_\w+|CEILING_DIRECTORIES|EXEC_PATH|SSL_\w+)$/;

/** Returns the environment for git: no redirection of repository or index, no prompt, pager or editor, English messages. */
export function gitEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const clean = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || kept.test(name));
  return {
    ...Object.fromEntries(clean),
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_PAGER: "cat",
    // Replacement refs would hide the committed content.
    GIT_NO_REPLACE_OBJECTS: "1",
    // Grafts would give commits other parents. Git says nothing of a file that is not there.
    GIT_GRAFT_FILE: "/dev/null/none",
    LANGUAGE: "en",
  };
}
