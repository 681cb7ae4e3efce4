/** What of the caller's `GIT_*` variables says who commits and which configuration holds; the rest would redirect git. */
const kept = /^GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL)|CONFIG_\w+|CEILING_DIRECTORIES|EXEC_PATH|SSL_\w+)$/;

/** The environment for git: no redirection of repository or index, nothing that asks, pages or edits, English messages. */
export function gitEnvironment(env: Readonly<Record<string, string>>): Record<string, string> {
  const clean = Object.entries(env).filter(([name]) => !name.startsWith("GIT_") || kept.test(name));
  return {
    ...Object.fromEntries(clean),
    GIT_TERMINAL_PROMPT: "0",
    GIT_EDITOR: ":",
    GIT_SEQUENCE_EDITOR: ":",
    GIT_PAGER: "cat",
    // A replacement ref would show other content than what is committed.
    GIT_NO_REPLACE_OBJECTS: "1",
    LANGUAGE: "en",
  };
}
