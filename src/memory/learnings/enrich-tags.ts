import { basename } from "node:path";
import type { SafeText } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { tidyNames, tidyTags } from "./store/learning-text.ts";

const maxFiles = 10;
const word = /[a-z][a-z0-9+.-]*/gi;
/** Programs whose names are useful as tags. */
const tools = new Set(
  `ava babel bazel biome black bun bundle bundler cargo clippy cmake composer cypress deno docker eslint esbuild flake8
  gcc git go golangci-lint gradle jest just ktlint make maven mocha mvn mypy next ninja node npm npx nx phpunit pip
  playwright pnpm poetry prettier prisma pytest rollup rspec rubocop ruby ruff rustc rustfmt storybook swc swift terraform
  tox tsc tsx turbo typescript uv vite vitest webpack xcodebuild yarn zig`.split(/\s+/),
);

/** Returns tags from the context of a learning: files, errors and tools of the attempt (LEARN-1). */
export function contextTags(outcome: Outcome, files: readonly string[], text: string): readonly SafeText[] {
  const errors = [outcome.category, outcome.errorType === "unknown" ? null : outcome.errorType];
  return tidyTags([...files, ...errors.flatMap((error) => error ?? []), ...toolsOf(outcome, text)]);
}

/** Returns the task's own files, then those that the attempt changed. */
export function contextFiles(outcome: Outcome, task: Task | undefined): readonly SafeText[] {
  return tidyNames([...(task?.files ?? []), ...outcome.work.files], maxFiles);
}

function toolsOf(outcome: Outcome, text: string): readonly string[] {
  const commands = outcome.checks.map(({ command }) => command);
  const names = `${commands.join(" ")} ${text}`.slice(0, 10_000).match(word) ?? [];
  return names.map((name) => basename(name).toLowerCase()).filter((name) => tools.has(name));
}
