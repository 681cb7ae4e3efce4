import type { Reader } from "../../../store/port/db.ts";
import type { TaskPlace } from "../../graph/task-store.ts";
import type { MatchedTasks } from "../match/match-source.ts";

/** The places to write so that the tasks run in the file's order, and the tasks that changed their place in it. */
interface Reordered {
  readonly places: readonly TaskPlace[];
  readonly moved: readonly string[];
}

/**
 * Compares the order of a file with that of its tasks. New items get the places behind the items before them; all tasks of a
 * file whose order changed get the creation time of the oldest one, which would otherwise precede the position. Tasks that
 * a person put first keep their place.
 */
export async function reorder(q: Reader, path: string, matched: readonly MatchedTasks[]): Promise<Reordered> {
  const known = matched.flatMap(({ existing }) => (existing ? [existing] : []));
  const isAppended = matched.slice(known.length).every(({ existing }) => !existing);
  if (isAppended && isSorted(known.filter(inOrder))) return { places: [], moved: [] };
  const places = await placesOf(q, path, matched);
  const [first = ""] = places.map(({ createdAt }) => createdAt).toSorted();
  const knownIds = new Set(known.map(({ id }) => id));
  const before = places.filter(({ id }) => knownIds.has(id));
  const slots = spread(places.map(({ position }) => position));
  const wanted = places.map(({ id }, at) => ({ id, createdAt: first, position: slots[at] ?? 0 }));
  const changed = wanted.filter(({ createdAt, position }, at) => {
    const now = places[at];
    return now?.createdAt !== createdAt || now.position !== position;
  });
  const stay = unmovedPlaces(before);
  return { places: changed, moved: before.filter((place) => !stay.has(place)).map(({ id }) => id) };
}

type Place = Pick<TaskPlace, "createdAt" | "position">;

function inOrder({ position }: Place): boolean {
  return position >= 0;
}

/** Reads the places of the file's tasks, in the file's order. */
async function placesOf(
  q: Reader,
  path: string,
  matched: readonly MatchedTasks[],
): Promise<readonly TaskPlace[]> {
  const rows = await q.all<{ id: string; created_at: string; position: number }>(
    "SELECT id, created_at, position FROM tasks WHERE source_path = ?",
    [path],
  );
  const byId = new Map(
    rows.map(({ id, created_at: createdAt, position }) => [
      id,
      { id, createdAt, position: Number(position) },
    ]),
  );
  return matched.flatMap(({ id }) => byId.get(id) ?? []).filter(inOrder);
}

function isBefore(a: Place, b: Place): boolean {
  return a.createdAt === b.createdAt ? a.position < b.position : a.createdAt < b.createdAt;
}

function isSorted(places: readonly Place[]): boolean {
  return places.every((place, at) => at === 0 || isBefore(places[at - 1] ?? place, place));
}

/** Returns the positions in ascending order, without repetitions. */
function spread(positions: readonly number[]): readonly number[] {
  let last = -1;
  return positions
    .toSorted((a, b) => a - b)
    .map((position) => {
      last = Math.max(position, last + 1);
      return last;
    });
}

/** Returns a longest subsequence in ascending order: the tasks that did not move (patience sorting). */
function unmovedPlaces<T extends Place>(places: readonly T[]): ReadonlySet<T> {
  /** The last place of the best subsequence of each length, with the one before it. */
  const tails: T[] = [];
  const previous = new Map<T, T | undefined>();
  for (const place of places) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(tails[middle] as T, place)) low = middle + 1;
      else high = middle;
    }
    previous.set(place, tails[low - 1]);
    tails[low] = place;
  }
  const found = new Set<T>();
  for (let place = tails.at(-1); place; place = previous.get(place)) found.add(place);
  return found;
}
