/** The obstacles of each task's attempts, and the outcome that must follow. */
export interface Night {
  readonly ids: readonly string[];
  /** Per task, what goes wrong at attempt 1, 2, 3; a task that is not named works well at once. */
  readonly troubles: Readonly<Record<string, readonly string[]>>;
  /** A task and the one that it waits for. */
  readonly waits: Readonly<Record<string, string>>;
  /** How far ahead a limit's reset is. */
  readonly resetMs: number;
  readonly idleMs: number;
  readonly taskMs: number;
  /** The cost of a session that ends by itself, in US dollars. */
  readonly costUsd: number;
  readonly expected: Expected;
}

interface Expected {
  readonly done: number;
  /** Given up after three attempts. */
  readonly parked: readonly string[];
  /** Waiting for one of those. */
  readonly waiting: readonly string[];
  /** Judged attempts. */
  readonly attempts: number;
  /** Of them, those that told their cost: not those killed or crashed. */
  readonly paid: number;
  readonly limits: number;
  readonly networks: number;
}

const fails = ["fails", "fails", "fails"];

/** Sixty tasks, with all that a night can bring. */
export const longNight: Night = {
  ids: Array.from({ length: 60 }, (_, n) => `n-${String(n + 1).padStart(2, "0")}`),
  troubles: {
    "n-03": ["limit"],
    "n-31": ["limit"],
    "n-05": ["network"],
    "n-07": ["silent"],
    "n-09": ["chatter"],
    "n-11": ["crash"],
    "n-13": ["runaways"],
    "n-33": ["runaways"],
    "n-53": ["runaways"],
    "n-15": ["commits"],
    "n-35": ["commits"],
    "n-55": ["commits"],
    "n-17": ["edits-check", "puts-back"],
    "n-37": ["edits-script", "puts-back"],
    "n-02": ["claims-nothing"],
    "n-12": ["claims-nothing"],
    "n-22": ["claims-nothing"],
    "n-32": ["claims-nothing"],
    "n-42": ["claims-nothing"],
    "n-04": ["claims-broken"],
    "n-14": ["claims-broken"],
    "n-24": ["claims-broken"],
    "n-34": ["claims-broken"],
    "n-44": ["claims-broken"],
    "n-06": fails,
    "n-16": fails,
    "n-26": fails,
    "n-36": fails,
    "n-46": fails,
    "n-56": fails,
    "n-57": fails,
    "n-60": fails,
  },
  waits: { "n-58": "n-06", "n-59": "n-60", "n-50": "n-10" },
  resetMs: 20_000,
  idleMs: 3_000,
  taskMs: 8_000,
  costUsd: 0.25,
  expected: {
    done: 50,
    parked: ["n-06", "n-16", "n-26", "n-36", "n-46", "n-56", "n-57", "n-60"],
    waiting: ["n-58", "n-59"],
    // 50 done, of them 10 after a false claim, 2 after an edited check, 3 after a hang or crash; 8 failed 3 times.
    attempts: 50 + 10 + 2 + 3 + 24,
    paid: 50 + 10 + 2 + 24,
    limits: 2,
    networks: 1,
  },
};

/** One task of each trouble: the same in a quarter of a minute. */
export const shortNight: Night = {
  ids: Array.from({ length: 14 }, (_, n) => `n-${String(n + 1).padStart(2, "0")}`),
  troubles: {
    "n-01": ["limit"],
    "n-02": ["claims-nothing"],
    "n-03": ["silent"],
    "n-04": ["claims-broken"],
    "n-05": ["runaways"],
    "n-06": fails,
    "n-07": ["commits"],
    "n-08": ["edits-check", "puts-back"],
    "n-09": ["crash"],
    "n-10": fails,
    "n-11": ["edits-script", "puts-back"],
    "n-12": ["chatter"],
  },
  waits: { "n-13": "n-06" },
  resetMs: 2_000,
  idleMs: 1_500,
  taskMs: 4_000,
  costUsd: 0.25,
  expected: {
    done: 11,
    parked: ["n-06", "n-10"],
    waiting: ["n-13"],
    // 11 done, of them 2 after a false claim, 2 after an edited check, 3 after a hang or crash; 2 failed 3 times.
    attempts: 11 + 2 + 2 + 3 + 6,
    paid: 11 + 2 + 2 + 6,
    limits: 1,
    networks: 0,
  },
};
