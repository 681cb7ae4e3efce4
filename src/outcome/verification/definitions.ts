/** By pattern of the path: the reason why a file defines what verification runs or how strictly, as a clause. */
const definitions: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)package\.json$/, "verification may run its scripts"],
  [
    /(?:^|\/)(?:Makefile|GNUmakefile|makefile|justfile|Justfile|Taskfile\.ya?ml|Rakefile|noxfile\.py|tox\.ini|\.bazelrc|pnpm-workspace\.yaml)$/,
    "it may define what verification runs",
  ],
  [
    /^\.github\/(?:workflows|actions)\/|^\.gitlab-ci\.yml$|^\.circleci\/|^azure-pipelines\.yml$|^Jenkinsfile$|^\.travis\.yml$|^\.buildkite\/|^\.ci\//,
    "it is CI configuration",
  ],
  [
    /(?:^|\/)(?:vitest|vite|jest|karma|cypress|playwright|ava|babel|protractor|wdio|nightwatch)\.(?:conf|config|setup|workspace)\.[cm]?[jt]s(?:on)?$|(?:^|\/)\.(?:mocharc|nycrc|c8rc|taprc|babelrc)(?:\.\w+)?$/,
    "it is test configuration",
  ],
  [
    /(?:^|\/)(?:\.coveragerc|\.rspec-local|\.proverc|dart_test\.yaml|\.config\/nextest\.toml|[\w.-]+\.runsettings)$/,
    "it is test configuration",
  ],
  [
    /(?:^|\/)(?:\.?pytest\.(?:ini|toml)|deno\.jsonc?|conftest\.py|setup\.cfg|pyproject\.toml|phpunit\.xml(?:\.dist)?|\.rspec|(?:build|settings)\.gradle(?:\.kts)?|gradle\.properties|pom\.xml|Directory\.Build\.(?:props|targets))$/,
    "it may be test configuration",
  ],
  [
    /(?:^|\/)(?:\.npmrc|\.yarnrc(?:\.yml)?|\.pnpmfile\.c?js|\.pnp\.c?js|\.pnp\.loader\.mjs|bunfig\.toml|pip\.conf|\.cargo\/config(?:\.toml)?|\.mvn\/(?:maven|jvm)\.config|\.mvn\/extensions\.xml|(?:gradle|maven)-wrapper\.properties|go\.work)$/,
    "it configures programs of verification",
  ],
  // Not those that only show which variables there are.
  [
    /(?:^|\/)(?:\.envrc|\.env(?:\.(?!example|sample|template|dist|defaults?\b|(?:sh|[cm]?[jt]s|py)$)[\w-]+){0,3})$/,
    "it sets variables of verification",
  ],
  [
    /(?:^|\/)(?:\.tool-versions|\.?mise\.toml|\.python-version|\.ruby-version|\.nvmrc|\.node-version|rust-toolchain(?:\.toml)?)$/,
    "it selects the programs of verification",
  ],
  [/(?:^|\/)(?:site|user)customize\.py$/, "Python runs it when it starts"],
  [/\.(?:dist|egg)-info\/entry_points\.txt$/, "programs of Python load what it names"],
  [/(?:^|\/)node_modules\/\.bin\/|(?:^|\/)\.?venv\/bin\//, "verification may run it"],
  [
    /(?:^|\/)tsconfig[\w.-]*\.json$|(?:^|\/)(?:\.?mypy\.ini|pyrightconfig\.json)$/,
    "it defines how strictly types are checked",
  ],
  [
    /(?:^|\/)(?:eslint\.config\.[cm]?[jt]s|\.eslintrc(?:\.\w+)?|\.(?:eslint|prettier)ignore|biome\.jsonc?|\.?ruff\.toml|\.flake8|\.?pylintrc|\.rubocop\.ya?ml|\.oxlintrc\.json|\.prettierrc(?:\.\w+)?|\.?clippy\.toml|\.golangci\.ya?ml|(?:phpstan|psalm)(?:\.dist)?\.(?:neon|xml)(?:\.dist)?|analysis_options\.yaml)$/,
    "it is lint configuration",
  ],
];

/** Returns why a file of this path, relative to any folder where commands run, defines verification; undefined: it does not. */
export function whyDefining(path: string): string | undefined {
  return definitions.find(([pattern]) => pattern.test(path))?.[1];
}
