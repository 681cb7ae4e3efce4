import { safe } from "../src/base/safe-text.ts";
import type { PromptRequest } from "../src/context/prompt.ts";
import { builtInTemplate } from "../src/context/template.ts";
import type { Task } from "../src/tasks/graph/task.ts";

export function sampleTask(changes: Partial<Task> = {}): Task {
  return {
    id: "t-1",
    parentId: null,
    title: "Parse dates",
    description: "",
    status: "pending",
    statusReason: null,
    blockCause: null,
    priority: 2,
    tags: [],
    files: [],
    acceptance: [],
    verification: [],
    allowNoChange: false,
    allowRed: false,
    parallelGroup: null,
    commitTemplate: null,
    source: null,
    attemptsBefore: 0,
    position: 1,
    createdAt: "2026-03-01T10:00:00.000Z",
    updatedAt: "2026-03-01T10:00:00.000Z",
    ...changes,
  };
}

/** A request for the first attempt of a bare task, with nothing remembered. */
export function samplePromptRequest(changes: Partial<PromptRequest> = {}): PromptRequest {
  return {
    task: sampleTask(),
    attempt: 1,
    attemptsLeft: null,
    timeoutMs: null,
    runEndsInMs: null,
    root: "/home/ada/dates",
    parent: null,
    list: null,
    prerequisites: [],
    change: null,
    spec: null,
    leftovers: true,
    interrupted: null,
    failedBefore: null,
    messages: [],
    journal: null,
    recalled: [],
    instructions: safe``,
    checks: [{ run: "npm test", timeoutMs: null }],
    models: ["sonnet"],
    seed: "run-1 1",
    budget: { chars: 5000, sections: {} },
    template: builtInTemplate,
    ...changes,
  };
}
