import { afterEach, expect, test } from "vitest";
import { removeTempRepositories, repositoryAt, tempFolder } from "../../../../../test/temp-repository.ts";
import { watching } from "../../../../../test/watching.ts";

afterEach(removeTempRepositories);

const site = "lib/python3.12/site-packages";
const plugin = "[console_scripts]\nx = x:main\n[pytest11]\nx = x\n";
const program = "[console_scripts]\nx = x:main\n[ gui_scripts ]\ny = x:main\n";

/** A project with a virtual environment, and a home with packages. */
function project() {
  const names = ["a.txt", "src/a.txt", `.venv/${site}/a.txt`];
  const made = watching(Object.fromEntries(names.map((name) => [name, ""])));
  made.home.write(`.local/${site}/a.txt`, "");
  const write = (name: string, text: string): void =>
    name.startsWith("~/") ? made.home.write(name.slice(2), text) : made.write(name, text);
  return { ...made, write };
}

const lists = [
  "x.egg-info/entry_points.txt",
  "src/x.egg-info/entry_points.txt",
  `.venv/${site}/x-1.dist-info/entry_points.txt`,
  `~/.local/${site}/x-1.dist-info/entry_points.txt`,
];

test.each([...lists, `~/.local/${site}/_pytest/__init__.py`, `~/.local/${site}/pluggy.py`])(
  "LOOP-18: what programs of Python load by themselves is reported when it appears: %s",
  (name) => {
    const { begin, write, changes } = project();
    begin("pytest -q");
    write(name, plugin);
    expect(changes()).toEqual([`${name}: added`]);
  },
);

test.each(lists)("LOOP-18: a list of programs that becomes one of plug-ins is reported: %s", (name) => {
  const { begin, write, changes } = project();
  write(name.replace("x.", "own.").replace("x-1", "own"), plugin);
  begin("pytest -q");
  // Installed by an agent, and changed by the next.
  write(name, program);
  expect(changes()).toEqual([]);
  begin("pytest -q");
  write(name, `${program}\n[flake8.extension]\nX = x\n`);
  expect(changes()).toEqual([`${name}: added`]);
  write(name.replace("x.", "own.").replace("x-1", "own"), program);
  expect(changes().toSorted()).toEqual(
    [`${name}: added`, `${name.replace("x.", "own.").replace("x-1", "own")}: changed`].toSorted(),
  );
});

test("LOOP-18: a plug-in in a folder of PYTHONPATH is reported, other packages are not", () => {
  const vendor = repositoryAt(tempFolder());
  const made = watching({ [`.venv/${site}/a.txt`]: "" }, { PYTHONPATH: vendor.dir });
  made.home.write(`.local/${site}/a.txt`, "");
  made.begin("python3 -m pytest");
  for (const path of ["attr/__init__.py", "x-1.dist-info/METADATA", "own.py", "unittest.py"]) {
    made.home.write(`.local/${site}/${path}`, "x");
    if (path !== "unittest.py") made.write(`.venv/${site}/${path}`, "x");
  }
  made.home.write(`.local/${site}/x-1.dist-info/entry_points.txt`, program);
  expect(made.changes()).toEqual([`~/.local/${site}/unittest.py: added`]);
  vendor.write("x-1.dist-info/entry_points.txt", plugin);
  expect(made.changes()).toContain(`${vendor.dir}/x-1.dist-info/entry_points.txt: added`);
});
