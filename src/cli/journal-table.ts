import { entry, type Group } from "./shell/entry.ts";

export const journal: Group = {
  name: "journal",
  summary: "the page on which the agents of a change write",
  verbs: [
    entry(
      "path",
      "print the path of the change's journal",
      async () => (await import("./commands/journal/path.ts")).path,
    ),
    entry(
      "show",
      "print the change's journal",
      async () => (await import("./commands/journal/show.ts")).show,
    ),
    entry(
      "edit",
      "open the change's journal in your editor",
      async () => (await import("./commands/journal/edit.ts")).edit,
    ),
    entry(
      "clear",
      "empty the change's journal",
      async () => (await import("./commands/journal/clear.ts")).clear,
    ),
  ],
};
