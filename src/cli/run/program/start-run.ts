import { main } from "../../shell/main.ts";

/**
 * Executes `ralph run` and returns its exit code. The build puts it into one file with everything that it needs: Node takes
 * about a millisecond for each of the many files of the full program.
 */
export async function startRun(words: readonly string[]): Promise<number> {
  return main(words);
}
