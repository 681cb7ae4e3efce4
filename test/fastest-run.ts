/**
 * The fewest milliseconds of processor time that `work` takes in this process, of at most `rounds` runs; stops once one is
 * under `bound`. What else the machine does makes runs slower, never faster, so one run that is quick enough proves the
 * bound; and time in which other programs had the processor is not the work's. For work that starts no process.
 */
export async function fastestRun(
  work: () => Promise<unknown>,
  { bound, rounds = 25 }: { readonly bound: number; readonly rounds?: number },
): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && best >= bound; round++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}
