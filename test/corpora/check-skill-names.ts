import { readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { practice } from "../e2e/practice.ts";
import { type SampleRecord, storeRecords } from "../sample-records.ts";
import type { Finding } from "./finding.ts";

/** Where ralph may write: its own folder, the folders of skills, and git's own files of the commit. */
const allowed =
  /^project\/(?:\.ralph\/|\.git\/|\.(?:agents|claude)\/skills\/[a-z0-9-]{1,64}\/SKILL\.md$)|^home\/state\//;
const firstSkill = "project/.agents/skills/";

/** Every line as the topic of a learned skill that is proposed and accepted: no file is written outside its folders. */
export async function checkSkillNames(content: string): Promise<Finding> {
  const names = [...new Set(content.split("\n").filter((line) => line.trim() !== ""))];
  const project = practice({ "src/base.txt": "x" });
  try {
    // Without them: ten thousand commits take an hour.
    project.write(".ralph/config.yaml", "commit: { enabled: false }\n");
    await project.addTasks([{ id: "x", title: "x" }]);
    const top = dirname(project.dir);
    const before = new Set(filesIn(top));
    const db = await openStore({ path: join(project.dir, ".ralph", "progress.db") });
    await storeRecords(db, names.flatMap(recordsOfTopic));
    await db.close();
    const details: string[] = [];
    for (const words of ["learnings aggregate", "skills generate", "skills accept --all"]) {
      const { code, stderr } = await project.ralph(...words.split(" "));
      if (code !== 0) details.push(`ralph ${words} ended with ${code}: ${stderr.slice(0, 500)}`);
    }
    const added = filesIn(top).filter((path) => !before.has(path));
    details.push(...added.filter((path) => !allowed.test(path)));
    const skills = added.filter((path) => path.startsWith(firstSkill)).length;
    if (skills === 0) details.push("no skill was written");
    return {
      passed: details.length === 0,
      figures: `${names.length} topics, ${skills} skills accepted, ${added.length} files written`,
      details,
    };
  } finally {
    project.remove();
  }
}

/** Three tasks that report the same: enough for a skill. */
function recordsOfTopic(category: string, at: number): readonly SampleRecord[] {
  const successes = [`Call step ${at} before the others`];
  return [1, 2, 3].map((task) => ({ task: `n-${at}-${task}`, category, successes }));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}
