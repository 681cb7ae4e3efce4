import { watchInputs } from "../src/outcome/verification/inputs/watch-inputs.ts";
import { repositoryAt, type TempRepository, tempFolder } from "./temp-repository.ts";

interface Watching extends TempRepository {
  readonly home: TempRepository;
  begin(command: string): readonly string[];
  /** `name: how` of each change. */
  changes(): readonly string[];
}

export type Files = Readonly<Record<string, string>>;

/** Makes a project and a home of these files, whose verification is watched; `removeTempRepositories` removes them. */
export function watching(files: Files, env: Record<string, string> = {}): Watching {
  const made = repositoryAt(tempFolder());
  const home = repositoryAt(tempFolder());
  for (const [path, text] of Object.entries(files)) made.write(path, text);
  const watch = watchInputs({ root: made.dir, env: { HOME: home.dir, PATH: "bin:/usr/bin:/bin", ...env } });
  return {
    ...made,
    home,
    begin: (command) => {
      watch.begin([command]);
      return watch.scripts();
    },
    changes: () => watch.changes().map(({ name, how }) => `${name}: ${how}`),
  };
}
