import { existsSync } from "node:fs";
import { join } from "node:path";

/** By lock file: what installs its packages, and the folder where they are then. */
const installs: readonly (readonly [file: string, command: string, folder: string])[] = [
  ["package-lock.json", "npm ci", "node_modules"],
  ["npm-shrinkwrap.json", "npm ci", "node_modules"],
  ["pnpm-lock.yaml", "pnpm install --frozen-lockfile", "node_modules"],
  ["yarn.lock", "yarn install", "node_modules"],
  ["bun.lock", "bun install --frozen-lockfile", "node_modules"],
  ["bun.lockb", "bun install --frozen-lockfile", "node_modules"],
  ["uv.lock", "uv sync --frozen", ".venv"],
  ["poetry.lock", "poetry install", ".venv"],
  ["pdm.lock", "pdm sync", ".venv"],
  ["Pipfile.lock", "pipenv sync", ".venv"],
  ["Gemfile.lock", "bundle install", "vendor"],
  ["composer.lock", "composer install", "vendor"],
  ["mix.lock", "mix deps.get", "deps"],
];

/**
 * Returns the commands that install what the lock files at `root` name; with `installed`, only of packages that are
 * installed there.
 */
export function detectSetup(
  root: string,
  { installed = false }: { readonly installed?: boolean } = {},
): readonly string[] {
  const found = installs.filter(
    ([file, , folder]) => existsSync(join(root, file)) && (!installed || existsSync(join(root, folder))),
  );
  return [...new Set(found.map(([, command]) => command))];
}
