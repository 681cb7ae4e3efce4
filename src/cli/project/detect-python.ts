import { type Files, firstOf, type Proposal, propose } from "./proposal.ts";

/** The configuration of a virtual environment in its usual folders: tests need the packages that are installed there. */
const environments = [".venv/pyvenv.cfg", "venv/pyvenv.cfg"];

async function findPython({ read }: Files): Promise<string> {
  const found = await firstOf(read, environments);
  return found === undefined ? "python3" : found.replace("pyvenv.cfg", "bin/python");
}

const pytestFiles = ["pytest.ini", "conftest.py", "tests/conftest.py", "test/conftest.py"];
const pytestSections: readonly (readonly [file: string, section: RegExp])[] = [
  ["pyproject.toml", /\bpytest\b/],
  ["tox.ini", /^\[pytest\]/m],
  ["setup.cfg", /^\[tool:pytest\]/m],
];

/** Returns what verifies a Python package. */
export async function fromPython(files: Files): Promise<readonly Proposal[]> {
  const { read } = files;
  const toml = await read("pyproject.toml");
  const found: Proposal[] = [];
  const prefix =
    (await read("uv.lock")) !== undefined
      ? "uv run "
      : (await read("poetry.lock")) !== undefined
        ? "poetry run "
        : "";
  const python = prefix === "" ? await findPython(files) : "python3";
  if (toml && /^\[tool\.ruff\b/m.test(toml))
    found.push(propose(`${prefix}ruff check .`, "pyproject.toml, [tool.ruff]"));
  if (toml && /^\[tool\.mypy\b/m.test(toml))
    found.push(propose(`${prefix}mypy .`, "pyproject.toml, [tool.mypy]"));
  const tests = await findPythonTests(files);
  const pytest = (await configuresPytest(read)) ?? (tests?.needsPytest ? tests.file : undefined);
  if (pytest) found.push(propose(prefix ? `${prefix}pytest` : `${python} -m pytest`, pytest, "test"));
  else if (tests) found.push(propose(`${prefix}${python} -m unittest${tests.discover}`, tests.file, "test"));
  else if (toml !== undefined)
    found.push(propose(`${prefix}${python} -m unittest`, "pyproject.toml", "guess"));
  return found;
}

async function configuresPytest(read: Files["read"]): Promise<string | undefined> {
  for (const [file, section] of pytestSections)
    if (section.test((await read(file)) ?? "")) return `${file}, pytest`;
  return await firstOf(read, pytestFiles);
}

interface PythonTests {
  readonly file: string;
  /** It is written for pytest; otherwise the standard library runs it. */
  readonly needsPytest: boolean;
  /** The arguments with which `unittest` finds it. */
  readonly discover: string;
}

async function findPythonTests({ read, list }: Files): Promise<PythonTests | undefined> {
  for (const folder of ["tests", "test", "."]) {
    const names = await list(folder);
    const name =
      names.find((one) => /^test_.*\.py$/.test(one)) ?? names.find((one) => /_test\.py$/.test(one));
    if (name === undefined) continue;
    const file = folder === "." ? name : `${folder}/${name}`;
    const text = (await read(file)) ?? "";
    const isForUnittest = name.startsWith("test") && /\bunittest\b/.test(text) && !/\bpytest\b/.test(text);
    const top = names.includes("__init__.py") ? " -t ." : "";
    const discover = folder === "." ? "" : ` discover -s ${folder}${top}`;
    return { file, needsPytest: !isForUnittest, discover };
  }
  return undefined;
}
