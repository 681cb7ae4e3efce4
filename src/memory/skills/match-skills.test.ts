import { expect, test } from "vitest";
import { scaledLimit } from "../../../test/scaled-limit.ts";
import { skillSettings } from "../../../test/skill-files.ts";
import { safe } from "../../base/safe-text.ts";
import { safeText } from "../../trust/safe-text.ts";
import { matchLabels } from "./match-skills.ts";
import type { SkillFile } from "./store/read-skill-files.ts";

const skill = (name: string, labels: Partial<SkillFile> = {}): SkillFile => ({
  name: safeText(name),
  description: safe``,
  tags: [],
  files: [],
  body: safe``,
  paths: [],
  ...labels,
});
const skills = [
  skill("ios26-learned", { tags: ["ios26", "liquid-glass"], files: ["ClaudeWatch/Widgets/"] }),
  skill("async"),
  skill("swiftui"),
];
const fitting = (tags: readonly string[], files: readonly string[] = []) =>
  matchLabels(skills, { tags, files }, skillSettings.fileRules).map(({ skill: { name }, reasons, score }) => [
    `${name}`,
    ...reasons,
    score,
  ]);

test("SKILL-4: a skill fits by a tag, by its own files, and by the tags of seed 2's two file rules", () => {
  expect(fitting(["IOS26", "other"])).toEqual([["ios26-learned", "tag ios26", 1]]);
  expect(fitting([], ["App/Views/Home.swift"])).toEqual([
    ["ios26-learned", "a file of **/*Views*{,/**} (liquid-glass)", 1],
    ["swiftui", "a file of **/*Views*{,/**} (swiftui)", 1],
  ]);
  expect(fitting([], ["HomeViews.swift"])).toHaveLength(2);
  expect(fitting([], ["src/SyncService.swift"])).toEqual([
    ["async", "a file of **/*Service*{,/**} (async)", 1],
  ]);
  expect(fitting([], ["ClaudeWatch/Widgets/Clock.swift"])).toEqual([
    ["ios26-learned", "a file of ClaudeWatch/Widgets/", 1],
  ]);
  expect(fitting(["liquid-glass"], ["Views/A.swift"])[0]).toEqual(["ios26-learned", "tag liquid-glass", 1]);
  expect(fitting(["ios", "26", ""], ["View/A.swift", "ClaudeWatch/WidgetsX.swift"])).toEqual([]);
});

test("SKILL-4: a skill's name is a tag, also without what generated names add", () => {
  const generated = [skill("http-learned"), skill("http-learned-2"), skill("http-client")];
  const found = matchLabels(generated, { tags: ["http"], files: [] }, {});
  expect(found.map(({ skill: { name } }) => `${name}`)).toEqual(["http-learned", "http-learned-2"]);
});

test("SKILL-4: patterns of a skill that take long to match are not used", () => {
  const slow = skill("slow", { files: ["*a*a*a*a*a*a*a*b", `${"x".repeat(300)}`, "+(a|aa)+(a|aa)"] });
  const begin = performance.now();
  expect(matchLabels([slow], { tags: [], files: ["a".repeat(500)] }, {})).toEqual([]);
  expect(performance.now() - begin).toBeLessThan(scaledLimit(500));
});

test("SKILL-4: a skill fits by a tag that only its text has, as a whole word, less than by its own", () => {
  const written = [
    skill("alpha", { body: safeText("Restart nginx, then reload PostgreSQL.") }),
    skill("beta", { description: safeText("For nginx-proxy and c++ code.") }),
    skill("nginx"),
    skill("gamma", { body: safeText("Nginxes and anginx are others.") }),
  ];
  const found = matchLabels(written, { tags: ["Nginx", "c++"], files: [] }, {});
  expect(found.map(({ skill: { name }, reasons, score }) => [`${name}`, ...reasons, score])).toEqual([
    ["alpha", "tag nginx in its text", 0.5],
    ["beta", "tag nginx in its text", "tag c++ in its text", 1],
    ["nginx", "tag nginx", 1],
  ]);
});
