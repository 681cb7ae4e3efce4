import { RalphError } from "../../../../base/errors.ts";
import { readEnv } from "../../../../config/environment.ts";
import { type LearningActions, openLearningActions } from "../../../../memory/learning-actions.ts";
import { type MemoryActions, openMemoryActions } from "../../../../memory/memory-actions.ts";
import { endpointOf } from "../../../project/embedding-endpoint.ts";
import { hivemindOf } from "../../../project/hivemind/hivemind-of.ts";
import type { OptionSpec, OptionValue, Project, Session } from "../../../shell/command.ts";

interface Opening {
  readonly create?: boolean;
}

/** Opens the project and its learnings, runs `work` and closes the project. */
export async function withLearningActions<T>(
  session: Session,
  opening: Opening,
  work: (actions: LearningActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, opening, (project) => {
    const now = (): Date => session.clock.now();
    return work(openLearningActions({ ...project, now }), project);
  });
}

/** Opens the project and its memory of every kind, runs `work` and closes the project. */
export async function withMemoryActions<T>(
  session: Session,
  work: (actions: MemoryActions, project: Project) => Promise<T>,
): Promise<T> {
  return withProject(session, {}, (project) => {
    const now = (): Date => session.clock.now();
    const embeddings = endpointOf(project);
    const { root, db, loaded } = project;
    const hivemind = hivemindOf(project)?.path ?? null;
    const recordFiles = { root, recordsDir: loaded.settings.learnings.dir, hivemind };
    return work(openMemoryActions({ db, recordFiles, now, embeddings }), project);
  });
}

async function withProject<T>(
  session: Session,
  { create = false }: Opening,
  work: (project: Project) => Promise<T>,
): Promise<T> {
  const project = await session.openProject({ create });
  try {
    return await work(project);
  } finally {
    await project.close();
  }
}

/** Returns the task of the agent that typed this command; null for a person. */
export function iterationTask(): string | null {
  return readEnv("RALPH_TASK_ID") || null;
}

/** Rejects a command that only a person may use: an agent may add and read learnings, not change them.
 *
 * @throws RalphError `RALPH_MEMORY_INSIDE_ITERATION` */
export function refuseInsideIteration(command: string): void {
  const task = iterationTask();
  if (task === null) return;
  throw new RalphError(
    "RALPH_MEMORY_INSIDE_ITERATION",
    `\`ralph memory ${command}\` is not available to the agent working on ${task}`,
    {
      hint: 'report a wrong memory with <memory-used id="l-…" verdict="harmful"/> in your final message',
    },
  );
}

export const collectionOption: OptionSpec = {
  flags: "--collection <name>",
  description: "named part of the project's memory (default: project)",
};

/** Returns the scope of a collection; null without one.
 *
 * @throws RalphError `RALPH_USAGE` */
export function scopeOption(value: OptionValue): string | null {
  const name = textOption(value);
  if (name === undefined) return null;
  if (name === "hivemind") {
    throw new RalphError("RALPH_MEMORY_COLLECTION", "invalid --collection hivemind: the name is reserved", {
      hint: "leave out --collection to use the project's own memory",
    });
  }
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw new RalphError("RALPH_USAGE", `invalid --collection ${JSON.stringify(name)}: expected a name`, {
      hint: "use at most 64 letters, digits, dots, dashes and underscores",
    });
  }
  return name === "default" ? "project" : name;
}

export function textOption(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** Returns the values of a list option: separated by commas, repeated, or both. */
export function listOption(value: OptionValue): readonly string[] {
  const given = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return given.flatMap((text: string) => text.split(",")).flatMap((text) => text.trim() || []);
}

/** Returns a positive integer, or `otherwise` without a value.
 *
 * @throws RalphError `RALPH_USAGE` */
export function numberOption(value: OptionValue, flag: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  const text = textOption(value) ?? "";
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RalphError(
    "RALPH_USAGE",
    `invalid ${flag} ${JSON.stringify(text)}: expected a positive integer`,
    {
      hint: `use a number such as ${flag} 10`,
    },
  );
}

/** Reads standard input.
 *
 * @throws RalphError `RALPH_USAGE` above 200 MB */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > 200_000_000)
      throw new RalphError("RALPH_USAGE", "standard input is larger than 200 MB", {
        hint: "import it in parts",
      });
  }
  return Buffer.concat(chunks).toString("utf8");
}
