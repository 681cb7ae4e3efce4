import { chmodSync, existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { runCommand } from "../../../../test/run-command.ts";
import { skillRepository } from "../../../../test/skill-repository.ts";
import { removeTempRepositories } from "../../../../test/temp-repository.ts";
import { openSkillDecisions } from "../../../memory/skill-actions.ts";
import { openStore } from "../../../store/open-store.ts";
import { accept, diff, reject, restore, retire } from "./decide.ts";
import { command as generate } from "./generate.ts";
import { list, command as show } from "./show.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  removeTempRepositories();
});

const name = "ios26-learned";
const files = [`.agents/skills/${name}/SKILL.md`, `.claude/skills/${name}/SKILL.md`] as const;
const fourth = {
  task: "LG3",
  successes: ["Set GlassEffectContainer(spacing: 20) around grouped buttons"],
  tags: ["ios26"],
  files: ["ClaudeWatch/Views/Bar.swift"],
};

test("SKILL-3: accept writes a proposal to both folders in one commit of exactly these files", async () => {
  const made = await skillRepository();
  made.write("staged.txt", "mine\n");
  made.git("add", "staged.txt");
  made.write("README.md", "# Watch, edited\n");
  await made.run(generate);
  expect(await made.json(list)).toMatchObject({ proposals: [{ name, kind: "create" }], skills: [], own: [] });
  const again = await runCommand(generate, [], { cwd: made.dir });
  expect(again.out).toBe("0 proposals from 1 topic");
  expect(again.note).toBe("hint: 1 earlier proposal waits for your decision: run `ralph skills list`");
  expect(await made.run(diff)).toMatch(
    /^--- \/dev\/null\n\+\+\+ b\/\.agents\/skills\/ios26-learned\/SKILL\.md\n@@ -0,0 \+1,\d+ @@\n\+---\n/,
  );
  expect(existsSync(join(made.dir, files[0]))).toBe(false);
  const said = await made.json<{ skills: { commit: string }[] }>(accept, name);
  expect(said).toMatchObject({ success: true, skills: [{ name, kind: "accept", files, uncommitted: [] }] });
  expect(made.read(files[0])).toContain("## Learned Patterns\n- ");
  expect(made.read(files[1])).toBe(made.read(files[0]));
  expect(made.git("log", "-1", "--format=%H %s")).toBe(`${said.skills[0]?.commit} Add skill ${name}`);
  expect(made.git("show", "--format=", "--name-only").split("\n")).toEqual([...files]);
  expect(made.git("log", "-1", "--format=%(trailers:key=Ralph-Skill,valueonly)").trim()).toBe(name);
  expect(made.git("status", "--porcelain")).toBe("M README.md\nA  staged.txt");
  expect(await made.json(list)).toMatchObject({
    proposals: [],
    skills: [{ name, status: "active" }],
    own: [],
  });
  expect(await made.json(show, name)).toMatchObject({
    skill: { name, source: { taskIds: ["LG1", "LG2", "UX13"] } },
  });
});

test("SKILL-3: a change keeps a person's text byte for byte, and unchanged evidence changes no byte", async () => {
  const made = await skillRepository();
  await made.run(generate);
  await made.run(accept, "--all");
  const mine = made.read(files[0]).replace("---\n\n<!--", "---\n\nRead this first.\n\n<!--");
  made.write(files[0], `${mine}\n## Mine\n\ttabs  \n`);
  made.git("commit", "-qam", "my words");
  await made.run(generate);
  expect(await made.json(list)).toMatchObject({ proposals: [] });
  await made.learn(fourth);
  await made.run(generate);
  const text = await made.run(diff, name);
  expect(text).toContain("+- Set GlassEffectContainer(spacing: 20) around grouped buttons");
  await made.run(accept, name);
  const merged = made.read(files[0]);
  expect(merged).toContain("---\n\nRead this first.\n\n<!-- ralph:begin");
  expect(merged.endsWith("<!-- ralph:end -->\n\n## Mine\n\ttabs  \n")).toBe(true);
  expect(merged).toContain("around grouped buttons");
  expect(made.git("log", "-1", "--format=%s")).toBe(`Update skill ${name}`);
});

test("SKILL-3: a skill that a person wrote is never changed: the proposal gets a number, also for later changes", async () => {
  const own = "---\nname: ios26-learned\ndescription: Mine\n---\nMy words.\n";
  const made = await skillRepository({ [files[1]]: own });
  await made.run(generate);
  await made.run(accept, name);
  expect(made.read(files[1])).toBe(own);
  expect(existsSync(join(made.dir, files[0]))).toBe(false);
  expect(made.read(`.agents/skills/${name}-2/SKILL.md`)).toContain(`name: ${name}-2\n`);
  expect(await made.json(list)).toMatchObject({ skills: [{ name: `${name}-2` }], own: [{ name }] });
  await made.run(generate);
  expect(await made.json(list)).toMatchObject({ proposals: [] });
  await made.learn(fourth);
  await made.run(generate);
  expect(await made.json(list)).toMatchObject({ proposals: [{ name: `${name}-2`, kind: "change" }] });
  await made.run(accept, "--all");
  expect(made.read(`.claude/skills/${name}-2/SKILL.md`)).toContain("around grouped buttons");
  expect(made.read(files[1])).toBe(own);
});

test("SKILL-5: retire removes the files in one commit, restore writes them again", async () => {
  const made = await skillRepository();
  await made.run(generate);
  await made.run(accept, name);
  const before = made.read(files[0]);
  made.write(files[1], `${before}\nmine\n`);
  made.git("commit", "-qam", "my words");
  await made.run(retire, name, "--reason", "outdated");
  expect(existsSync(join(made.dir, ".agents/skills/ios26-learned"))).toBe(false);
  expect(made.read(files[1])).not.toContain("## Learned Patterns");
  expect(made.read(files[1])).toContain("<!-- ralph:end -->\n\nmine\n");
  expect(made.git("show", "--format=%s%n%b", "--name-only")).toContain(`Retire skill ${name}\noutdated\n`);
  expect(made.git("status", "--porcelain")).toBe("");
  expect(await made.json(list)).toMatchObject({ skills: [{ status: "retired", reason: "outdated" }] });
  await expect(made.run(retire, name)).rejects.toMatchObject({ code: "RALPH_SKILL_STATUS" });
  await made.run(restore, name);
  expect(made.read(files[0])).toBe(before);
  expect(made.read(files[1])).toBe(`${before}\nmine\n`);
  expect(await made.json(list)).toMatchObject({ skills: [{ status: "active", reason: null }] });
});

test("SKILL-3: reject changes no file, and the same evidence is not proposed again", async () => {
  const made = await skillRepository();
  await made.run(generate);
  await made.run(reject, name);
  await made.run(generate);
  expect(await made.json(list)).toMatchObject({ proposals: [], skills: [] });
  expect(made.git("status", "--porcelain")).toBe("");
  await expect(made.run(accept, name)).rejects.toMatchObject({ code: "RALPH_SKILL_UNKNOWN" });
});

test("SKILL-3: with `layout: commands` a skill is one file of the commands", async () => {
  const made = await skillRepository({ ".ralph/config.yaml": "skills: { layout: commands }\n" });
  await made.run(generate);
  await made.run(accept, name);
  expect(made.git("show", "--format=", "--name-only")).toBe(`.claude/commands/${name}.md`);
  expect(await made.json(list)).toMatchObject({ own: [], skills: [{ name }] });
});

test("SKILL-3: with commits off, or outside git, accept writes the files and says what to commit", async () => {
  const made = await skillRepository({ ".ralph/config.yaml": "commit: { enabled: false }\n" });
  await made.run(generate);
  const commits = made.git("rev-list", "--count", "HEAD");
  expect(await made.json(accept, name)).toMatchObject({ skills: [{ commit: null, uncommitted: files }] });
  expect(made.git("rev-list", "--count", "HEAD")).toBe(commits);
});

test("SKILL-3: git's refusal leaves the tree, the index and the proposal as they were", async () => {
  const made = await skillRepository();
  await made.run(generate);
  made.write(".git/hooks/pre-commit", "#!/bin/sh\necho not today\nexit 1\n");
  chmodSync(join(made.dir, ".git/hooks/pre-commit"), 0o755);
  await expect(made.run(accept, name)).rejects.toMatchObject({ code: "RALPH_GIT_COMMIT_REFUSED" });
  expect(made.git("status", "--porcelain")).toBe("");
  expect(await made.json(list)).toMatchObject({ proposals: [{ name }], skills: [] });
});

test("SKILL-3: after a kill between writing and committing, accept continues", async () => {
  const made = await skillRepository();
  await made.run(generate);
  const db = await openStore({ path: join(made.dir, ".ralph/progress.db") });
  const folders = { dirs: [".agents/skills", ".claude/skills"], layout: "skills" } as const;
  await (
    await openSkillDecisions(db, { root: made.dir, folders }, () => new Date()).planAccept(name)
  ).write();
  await db.close();
  expect(await made.json(accept, name)).toMatchObject({ skills: [{ files: [], uncommitted: [] }] });
  expect(made.git("status", "--porcelain")).toBe("");
  expect(made.git("log", "-1", "--format=%s")).toBe(`Add skill ${name}`);
});

test("SKILL-3: no link is followed; a folder that is a link to the other one is written once", async () => {
  const made = await skillRepository();
  mkdirSync(join(made.dir, ".agents/skills"), { recursive: true });
  mkdirSync(join(made.dir, ".claude"));
  symlinkSync("../.agents/skills", join(made.dir, ".claude/skills"));
  await made.run(generate);
  expect(await made.json(accept, name)).toMatchObject({ skills: [{ files: [files[0]] }] });
  const other = await skillRepository();
  mkdirSync(join(made.dir, "elsewhere"));
  mkdirSync(join(other.dir, ".claude"));
  symlinkSync(join(made.dir, "elsewhere"), join(other.dir, ".claude/skills"));
  await other.run(generate);
  await expect(other.run(accept, name)).rejects.toMatchObject({ code: "RALPH_PATH_SYMLINK" });
  expect(existsSync(join(made.dir, "elsewhere", name))).toBe(false);
  expect(other.git("status", "--porcelain", "--", ".agents")).toBe("");
});

test("SKILL-3: a file with uncommitted changes of a person is not written, and its changes are not committed", async () => {
  const made = await skillRepository();
  await made.run(generate);
  await made.run(accept, name);
  const edited = `${made.read(files[1])}\nin the works\n`;
  made.write(files[1], edited);
  await made.learn(fourth);
  await made.run(generate);
  await expect(made.run(accept, name)).rejects.toMatchObject({ code: "RALPH_GIT_DIRTY" });
  expect(made.read(files[1])).toBe(edited);
  expect(made.git("status", "--porcelain")).toBe(`M ${files[1]}`);
});
