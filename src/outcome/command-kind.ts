import type { ErrorCategory } from "./error-categories.ts";

/** Matches whole words: `vite` matches neither `vitest` nor a folder of that name. */
const word = (names: string): RegExp =>
  new RegExp(`(?<![\\w@/\\\\.-])(?:[\\w@./\\\\-]*[/\\\\])?(?:${names})(?![\\w/\\\\-]|\\.\\w)`);

const kinds: readonly (readonly [ErrorCategory, RegExp])[] = [
  ["type_error", word("tsc|vue-tsc|tsgo|mypy|pyright|type-?check|check-types|types|cargo check")],
  [
    "test_failure",
    word(
      "vitest|jest|mocha|ava|pytest|py\\.test|tox|nox|unittest|phpunit|rspec|playwright|cypress|ctest|nextest|tests?",
    ),
  ],
  [
    "lint_error",
    word(
      "eslint|prettier|biome|oxlint|stylelint|ruff|flake8|pylint|black|clippy|golangci-lint|gofmt|rustfmt|lint|format|fmt|vet",
    ),
  ],
  [
    "build_error",
    word(
      "vite|webpack|rollup|esbuild|tsup|parcel|next build|javac|gcc|g\\+\\+|clang|cmake|build|compile|assemble|bundle",
    ),
  ],
];
/** The suffix of a script name: `test:unit`, `lint:fix`. */
const scriptSuffix = /([\w])[:][\w:-]+/g;

/** Returns the failure category of the tool that a command line runs; null for none or several. */
export function commandKind(command: string): ErrorCategory | null {
  const found = new Set<ErrorCategory>();
  for (const part of command.split(/&&|\|\||[;|\n]/)) {
    if (part.trim().startsWith("cd ")) continue;
    const words = part.replace(scriptSuffix, "$1");
    const kind = kinds.find(([, names]) => names.test(words))?.[0];
    if (kind) found.add(kind);
  }
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
