import { goesOn, isPrecious, type Move, precious } from "./move.ts";

/** What stands in the place of a file. */
const obstacles: Readonly<Record<string, (file: string) => string>> = {
  "a pipe": (file) => `rm ${file}; mkfifo ${file}`,
  "a huge file": (file) => `truncate -s 5G ${file}`,
  "a link to a pipe": (file) => `mkfifo ../pipe; ln -sf "$PWD/../pipe" ${file}`,
  "a link to a person's file": (file) => `ln -sf ~/victim ${file}`,
  "a folder": (file) => `rm ${file}; mkdir ${file}`,
  nothing: (file) => `rm -r "$(dirname ${file})"`,
  "a pipe above it": (file) => `rm -r "$(dirname ${file})"; mkfifo "$(dirname ${file})"`,
};

const move = (file: string, obstacle: string, before: string): Move => ({
  name: `puts ${obstacle} in place of ${file}`,
  honest: true,
  before: `${precious}; ${before}; echo '*.mine' > ${file}`,
  script: obstacles[obstacle]?.(file) ?? "",
  after: `${goesOn}; ${isPrecious}; [ -f ${file} ] && [ "$(head -c 99 ${file})" = '*.mine' ] || sh ../mark`,
});
const setting = (key: string, file: string): string => `mkdir ~/my; git config --global ${key} '${file}'`;

/** Puts what git waits for, or cannot read, in place of a person's ignore rules and attributes: the run must continue. */
export const ruleMoves: readonly Move[] = [
  ...Object.keys(obstacles).map((one) => move("~/config/git/ignore", one, ":")),
  ...["a pipe", "a huge file"].flatMap((one) => [
    move("~/config/git/attributes", one, ":"),
    move("~/my/ignored", one, setting("core.excludesFile", "~/my/ignored")),
    move("~/my/attributes", one, setting("core.attributesFile", "~/my/attributes")),
  ]),
  {
    ...move("./.my-ignored", "a pipe", 'git config core.excludesFile "$PWD/.my-ignored"'),
    after: goesOn,
  },
];
