import type { SearchDocument } from "../../search/document.ts";
import { sharedStems, taskQuery } from "../../search/query.ts";
import { searchDocuments } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { SkillFolders, SkillSettings } from "../port/skill-settings.ts";
import { matchLabels } from "./match-skills.ts";
import { readSkillFiles, type SkillFile } from "./store/read-skill-files.ts";
import { listSkills } from "./store/skill-store.ts";

/** A skill that fits a task. */
export interface FittingSkill {
  readonly skill: SkillFile;
  /** The number of tags and file patterns that fit, and up to 1 for its text. */
  readonly score: number;
  /** Clauses for people. */
  readonly reasons: readonly string[];
}

/** A skill whose text fits less than this share of the best one's is left out. */
const minShareOfBest = 0.5;
/** Minimum number of words that a task and the description of a skill have in common. */
const minStems = 2;
/** Longer texts are not kept tokenized between prompts. */
const searchedChars = 2000;

/**
 * Returns the skills that fit a task, best first: by tags and files, then by text where it fits well enough (SKILL-4).
 * Those of a person and accepted ones; retired ones never. Only reads.
 */
export async function findSkills(
  q: Reader,
  task: Pick<Task, "title" | "description" | "acceptance" | "files" | "tags">,
  { root, now, ...settings }: SkillSettings & { readonly root: string; readonly now: Date },
): Promise<readonly FittingSkill[]> {
  const skills = await usableSkills(q, root, settings);
  if (skills.length === 0) return [];
  const byLabel = new Map(
    matchLabels(skills, task, settings.fileRules).map((match) => [match.skill.name, match]),
  );
  const byText = await textScores(q, skills, task, now);
  const fitting = skills.flatMap((skill): readonly FittingSkill[] => {
    const labels = byLabel.get(skill.name);
    const text = byText.get(skill.name);
    if (labels === undefined && text === undefined) return [];
    const reasons = [...(labels?.reasons ?? []), ...(text === undefined ? [] : ["words of the task"])];
    return [{ skill, score: (labels?.score ?? 0) + (text ?? 0), reasons }];
  });
  return fitting.toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1));
}

/** Returns the skills of the folders without retired ones. Accepted ones have the labels of the store too. */
async function usableSkills(q: Reader, root: string, folders: SkillFolders): Promise<readonly SkillFile[]> {
  const { skills } = await readSkillFiles(root, folders);
  if (skills.length === 0) return [];
  const stored = new Map((await listSkills(q)).map((skill) => [`${skill.name}`, skill]));
  return skills.flatMap((skill) => {
    const own = stored.get(skill.name);
    if (own === undefined) return [skill];
    if (own.status === "retired") return [];
    const tags = [...new Set([...skill.tags, ...own.tags.map((tag) => tag.toLowerCase())])];
    return [{ ...skill, tags, files: [...new Set([...skill.files, ...own.files])] }];
  });
}

/** Returns the skills whose text fits, with a score from 0 to 1, the best having 1. */
async function textScores(
  q: Reader,
  skills: readonly SkillFile[],
  task: Parameters<typeof taskQuery>[0],
  now: Date,
): Promise<ReadonlyMap<string, number>> {
  const query = taskQuery(task);
  const request = { query, limit: 0, now, rarityOf: ["learning"] };
  const { hits } = await searchDocuments(q, skills.map(documentOf), request);
  // The description says what a skill is for. Any longer text has some words in common with a task.
  const fitting = hits.filter(({ document }) => sharedStems(query, { ...document, body: "" }) >= minStems);
  const best = fitting[0]?.score ?? 0;
  return new Map(
    fitting.flatMap(({ document, score }) =>
      best > 0 && score >= minShareOfBest * best ? [[document.id, score / best] as const] : [],
    ),
  );
}

/** Without labels: those are matched exactly, and must not count twice. */
function documentOf({ name, description, body }: SkillFile): SearchDocument {
  return {
    kind: "skill",
    id: name,
    scope: "",
    title: `${name.replaceAll("-", " ")} ${description}`,
    body: body.slice(0, searchedChars),
    tags: [],
    files: [],
    errorSignature: null,
    taskId: null,
    createdAt: "",
  };
}
