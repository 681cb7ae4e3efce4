import { expect, test } from "vitest";
import { leavesPythonTools } from "./python-project.ts";

const old = `[project]
name = "shop"
version = "1.0.0"
requires-python = ">=3.11"
dependencies = ["attrs", "local @ file:///opt/local"]

[project.scripts]
shop = "shop.cli:main"

[dependency-groups]
dev = ["pytest>=8", { include-group = "lint" }]

[tool.pytest.ini_options]
testpaths = ["tests"]
`;

const leaves = (now: string): boolean => {
  const lines = { added: [], removed: [], before: old.split("\n"), after: now.split("\n") };
  const flags = { created: false, deleted: false, becameLink: false, isOpaque: false, lostExecution: false };
  return leavesPythonTools({ ...flags, ...lines });
};

test.each([
  ["a version", old.replace("1.0.0", "1.1.0")],
  ["a description", old.replace("[project]", '[project]\ndescription = "A shop"')],
  ["a dependency", old.replace('"attrs"', '"attrs", "httpx[http2] >=0.27,<1; python_version > \'3.8\'"')],
  ["a new version of one", old.replace("pytest>=8", "pytest~=8.2")],
  ["a removed one", old.replace('"attrs", ', "")],
  ["a new group", old.replace("dev =", 'docs = ["sphinx"]\ndev =')],
  ["an extra", `${old}\n[project.optional-dependencies]\nfast = ["uvloop"]\n`],
])("LOOP-18: %s of a pyproject.toml is not reported", (_, now) => {
  expect(leaves(now)).toBe(true);
});

test.each([
  ["a setting of tests", old.replace('["tests"]', '["tests/a"]')],
  ["another tool", `${old}\n[tool.ruff]\nignore = ["ALL"]\n`],
  ["a table that a text swallows", old.replace('"1.0.0"', "'''").replace('testpaths = ["tests"]', "'''")],
  ["a program", old.replace("[project.scripts]", '[project.scripts]\npytest = "shop.cli:main"')],
  ["plug-ins", `${old}\n[project.entry-points.pytest11]\nshop = "shop.plugin"\n`],
  ["the version of Python", old.replace("3.11", "3.8")],
  ["a package at an address", old.replace('"attrs"', '"pytest @ file:///tmp/own"')],
  ["a package in a folder", old.replace("pytest>=8", "./own")],
  ["another group in a group", old.replace('"pytest>=8"', '{ include-group = "own" }')],
  ["a build system", `${old}\n[build-system]\nbackend-path = ["."]\n`],
  ["no TOML", old.replace("[project]", "[project")],
  ["no table", old.replace(/\[project\][\s\S]*?\n\n/, "project = 1\n")],
])("LOOP-18: %s in a pyproject.toml is reported", (_, now) => {
  expect(leaves(now)).toBe(false);
});
