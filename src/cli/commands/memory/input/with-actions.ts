import { RalphError } from "../../../../base/errors.ts";
import { readEnv } from "../../../../config/environment.ts";
import { type LearningActions, openLearningActions } from "../../../../memory/learning-actions.ts";
import { endpointOf } from "../../../project/embedding-endpoint.ts";
import type { OptionSpec, OptionValue, Project, Session } from "../../../shell/command.ts";

/** Opens the project and its learnings for `work`, and closes it after. */
export async function withLearningActions<T>(
  session: Session,
  { create = false }: { readonly create?: boolean },
  work: (desk: LearningActions, project: Project) => Promise<T>,
): Promise<T> {
  const project = await session.openProject({ create });
  try {
    const now = (): Date => session.clock.now();
    const { db, root, loaded } = project;
    return await work(
      openLearningActions({ db, root, now, embeddings: endpointOf(loaded.settings) }),
      project,
    );
  } finally {
    await project.close();
  }
}

/** The task of the iteration whose agent typed this; null for a person. */
export function iterationTask(): string | null {
  return readEnv("RALPH_TASK_ID") || null;
}

/** What is remembered of whom is a person's to decide: an agent may add and look, not change. */
export function refuseInsideIteration(command: string): void {
  const task = iterationTask();
  if (task === null) return;
  throw new RalphError(
    "RALPH_MEMORY_INSIDE_ITERATION",
    `\`ralph memory ${command}\` is not for the agent at work on ${task}`,
    {
      hint: 'say what is wrong with a memory by <memory-used id="l-…" verdict="harmful"/> in your final message',
    },
  );
}

export const collectionOption: OptionSpec = {
  flags: "--collection <name>",
  description: "a named part of the project's memory; default: project",
};

/** The scope that a collection is kept as. */
export function scopeOption(value: OptionValue): string | null {
  const name = textOption(value);
  if (name === undefined) return null;
  if (name === "hivemind") {
    throw new RalphError(
      "RALPH_MEMORY_COLLECTION",
      "this ralph has no memory that projects share (--collection hivemind)",
      {
        hint: "leave --collection out: the project's own memory is searched",
      },
    );
  }
  if (!/^[\w.-]{1,64}$/.test(name)) {
    throw new RalphError("RALPH_USAGE", `--collection ${JSON.stringify(name)} is no name`, {
      hint: "letters, digits, dots, dashes and underscores, at most 64",
    });
  }
  return name === "default" ? "project" : name;
}

export function textOption(value: OptionValue): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** A list that was given as `a, b`, several times, or both. */
export function listOption(value: OptionValue): readonly string[] {
  const given = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return given.flatMap((text: string) => text.split(",")).flatMap((text) => text.trim() || []);
}

/** A whole number of 1 or more. */
export function numberOption(value: OptionValue, flag: string, otherwise: number): number {
  if (value === undefined) return otherwise;
  const text = textOption(value) ?? "";
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new RalphError("RALPH_USAGE", `${flag} ${JSON.stringify(text)} is no whole number above 0`, {
    hint: `${flag} 10`,
  });
}

/** All of standard input, at most 200 MB. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > 200_000_000)
      throw new RalphError("RALPH_USAGE", "standard input holds more than 200 MB", {
        hint: "import it in parts",
      });
  }
  return Buffer.concat(chunks).toString("utf8");
}
