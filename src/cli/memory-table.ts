import { entry, type Group } from "./shell/entry.ts";

export const memory: Group = {
  name: "memory",
  summary: "manage learnings: inspect, correct, measure",
  verbs: [
    entry("list", "list learnings", async () => (await import("./commands/memory/list.ts")).list),
    entry(
      "find",
      "search learnings, failure reports and the hivemind",
      async () => (await import("./commands/memory/find.ts")).find,
    ),
    entry(
      "get",
      "show one learning, failure report or record",
      async () => (await import("./commands/memory/get.ts")).get,
    ),
    entry("why", "show a learning's history", async () => (await import("./commands/memory/why.ts")).why),
    entry("store", "store a learning", async () => (await import("./commands/memory/store.ts")).store),
    entry("edit", "edit a learning", async () => (await import("./commands/memory/edit.ts")).edit),
    entry(
      "validate",
      "confirm that a learning is still true",
      async () => (await import("./commands/memory/validate.ts")).validate,
    ),
    entry(
      "approve",
      "release learnings from quarantine, or trust them",
      async () => (await import("./commands/memory/approve.ts")).approve,
    ),
    entry(
      "review",
      "decide on what agents stated and nothing confirmed",
      async () => (await import("./commands/memory/review.ts")).review,
    ),
    entry(
      "share",
      "store a learning in the hivemind, for your other projects",
      async () => (await import("./commands/memory/share.ts")).share,
    ),
    entry(
      "unshare",
      "delete a learning from the hivemind and keep it local",
      async () => (await import("./commands/memory/unshare.ts")).unshare,
    ),
    entry(
      "remove",
      "archive a learning (undo: memory restore)",
      async () => (await import("./commands/memory/remove.ts")).remove,
    ),
    entry(
      "restore",
      "restore an archived learning",
      async () => (await import("./commands/memory/restore.ts")).restore,
    ),
    entry(
      "summarize",
      "merge similar learnings",
      async () => (await import("./commands/memory/summarize.ts")).summarize,
    ),
    entry(
      "prune",
      "archive old, unused learnings; delete old attempts",
      async () => (await import("./commands/memory/prune.ts")).prune,
    ),
    entry(
      "purge",
      "permanently delete learnings",
      async () => (await import("./commands/memory/purge.ts")).purge,
    ),
    entry(
      "lift",
      "measure the effect of learnings and skills on outcomes",
      async () => (await import("./commands/memory/lift.ts")).lift,
    ),
    entry(
      "stats",
      "count learnings and failure reports",
      async () => (await import("./commands/memory/stats.ts")).stats,
    ),
    entry(
      "export",
      "write all learnings to a file",
      async () => (await import("./commands/memory/export.ts")).exportCommand,
    ),
    entry(
      "import",
      "import learnings from a file",
      async () => (await import("./commands/memory/import.ts")).importCommand,
    ),
  ],
};

export const learnings: Group = {
  name: "learnings",
  summary: "records of attempts: what worked, failed and was missing",
  verbs: [
    entry(
      "show",
      "show the records of attempts",
      async () => (await import("./commands/learnings/show.ts")).show,
    ),
    entry(
      "aggregate",
      "merge the patterns of all records by topic",
      async () => (await import("./commands/learnings/aggregate.ts")).aggregate,
    ),
    entry(
      "import",
      "import record files",
      async () => (await import("./commands/learnings/import.ts")).importCommand,
    ),
    entry(
      "export",
      "write the records of attempts to a folder",
      async () => (await import("./commands/learnings/export.ts")).exportCommand,
    ),
  ],
};

export const skills: Group = {
  name: "skills",
  summary: "skills made of learnings, and their benefit",
  verbs: [
    entry("list", "list skills and proposals", async () => (await import("./commands/skills/list.ts")).list),
    entry("show", "show a skill or a proposal", async () => (await import("./commands/skills/show.ts")).show),
    entry(
      "diff",
      "show what accepting a proposal would change",
      async () => (await import("./commands/skills/diff.ts")).diff,
    ),
    entry(
      "accept",
      "write proposed skills and commit them",
      async () => (await import("./commands/skills/decide.ts")).accept,
    ),
    entry(
      "reject",
      "decline proposed skills",
      async () => (await import("./commands/skills/decide.ts")).reject,
    ),
    entry(
      "retire",
      "remove a skill from the project",
      async () => (await import("./commands/skills/decide.ts")).retire,
    ),
    entry(
      "restore",
      "write a retired skill again",
      async () => (await import("./commands/skills/decide.ts")).restore,
    ),
    entry(
      "generate",
      "propose skills from what tasks taught",
      async () => (await import("./commands/skills/generate.ts")).generate,
    ),
    entry(
      "stats",
      "count learnings and skills, and measure what skills save",
      async () => (await import("./commands/skills/stats.ts")).stats,
    ),
  ],
};

export const journal: Group = {
  name: "journal",
  summary: "the page on which the agents of a change write",
  verbs: [
    entry(
      "path",
      "print the path of the change's journal",
      async () => (await import("./commands/journal.ts")).journalPath,
    ),
    entry(
      "show",
      "print the change's journal",
      async () => (await import("./commands/journal.ts")).showJournal,
    ),
    entry(
      "edit",
      "open the change's journal in your editor",
      async () => (await import("./commands/journal.ts")).editJournal,
    ),
    entry(
      "clear",
      "empty the change's journal",
      async () => (await import("./commands/journal.ts")).clearJournal,
    ),
  ],
};
