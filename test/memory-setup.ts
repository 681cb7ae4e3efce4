/** Memory as tests open it: all on, nothing held out, in a folder without files. */
export const memorySetup = {
  log: { publish: (): void => undefined },
  enabled: true,
  root: "/nonexistent",
  now: (): Date => new Date("2026-03-01T10:00:00.000Z"),
  learnings: { max: 5, holdout: 0 },
} as const;
