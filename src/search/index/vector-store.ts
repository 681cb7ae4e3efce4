import type { Reader, Tx } from "../../store/db.ts";

/** A text's place in the space of a model. */
export type Vector = Float32Array;

const floatBytes = 4;

/** Returns the stored vectors of texts by a model, by the hash of the text. */
export async function readVectors(
  q: Reader,
  model: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, Vector>> {
  if (hashes.length === 0) return new Map();
  const wanted = q.dialect.inList("text_hash", hashes);
  const rows = await q.all<{ hash: string; vector: Uint8Array }>(
    `SELECT text_hash AS hash, vector FROM text_vectors WHERE ${wanted.sql} AND model = ?`,
    [...wanted.params, model],
  );
  return new Map(rows.map(({ hash, vector }) => [hash, fromBytes(vector)]));
}

export async function storeVectors(
  tx: Tx,
  model: string,
  vectors: ReadonlyMap<string, Vector>,
): Promise<void> {
  for (const [hash, vector] of vectors) {
    await tx.run(
      `INSERT INTO text_vectors (text_hash, model, vector) VALUES (?, ?, ?)
       ON CONFLICT (text_hash, model) DO UPDATE SET vector = excluded.vector`,
      [hash, model, toBytes(vector)],
    );
  }
}

export async function countVectors(q: Reader): Promise<number> {
  const row = await q.get<{ n: number }>("SELECT COUNT(*) AS n FROM text_vectors");
  return Number(row?.n ?? 0);
}

/** Returns the hashes of all texts with a vector, of any model. */
export async function storedHashes(q: Reader): Promise<readonly string[]> {
  const rows = await q.all<{ hash: string }>("SELECT DISTINCT text_hash AS hash FROM text_vectors");
  return rows.map(({ hash }) => hash);
}

export async function deleteVectors(tx: Tx, hashes: readonly string[]): Promise<void> {
  const gone = tx.dialect.inList("text_hash", hashes);
  await tx.run(`DELETE FROM text_vectors WHERE ${gone.sql}`, gone.params);
}

/** Little-endian on every machine, so that a store can move. */
function toBytes(vector: Vector): Uint8Array {
  const bytes = Buffer.alloc(vector.length * floatBytes);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * floatBytes);
  return bytes;
}

function fromBytes(stored: Uint8Array): Vector {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const vector = new Float32Array(Math.floor(bytes.length / floatBytes));
  for (let at = 0; at < vector.length; at += 1) vector[at] = bytes.readFloatLE(at * floatBytes);
  return vector;
}
