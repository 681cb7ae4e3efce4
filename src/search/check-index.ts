import type { Reader } from "../store/port/db.ts";
import type { DocumentSource } from "./document.ts";
import { countEntries, readPartitions } from "./partition-store.ts";

/** Reports whether the index has as many documents of each source as the source itself, and no others. */
export async function isIndexComplete(q: Reader, sources: readonly DocumentSource[]): Promise<boolean> {
  let expected = 0;
  for (const source of sources) {
    const documents = await source.count(q);
    if ((await countIndexed(q, source.kind)) !== documents) return false;
    expected += documents;
  }
  return (await countEntries(q)) === expected;
}

/** Returns the number of a kind's documents in the index. */
export async function countIndexed(q: Reader, kind: string): Promise<number> {
  const partitions = await readPartitions(q);
  return partitions.reduce((sum, partition) => sum + (partition.kind === kind ? partition.documents : 0), 0);
}

/** Doc ids that an index may waste however small it is: searches stay fast. */
const minFragmented = 1000;

/** Reports whether more than half of the assigned doc ids belong to removed or replaced documents. */
export async function isFragmented(q: Reader): Promise<boolean> {
  const partitions = await readPartitions(q);
  const sum = (field: "nextDocId" | "documents"): number =>
    partitions.reduce((all, partition) => all + partition[field], 0);
  return sum("nextDocId") > minFragmented + 2 * sum("documents");
}
