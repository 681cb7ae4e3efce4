import type { Meaning } from "../../../search/meaning.ts";
import { weightOfMeaning } from "../../../search/rerank-by-meaning.ts";
import type { Reader } from "../../../store/db.ts";
import { measureMeaning } from "../measure/meaning-benefit.ts";

/** How much a model of meaning counts, learned from the project's own record once in a process. */
export interface MeaningTrust {
  weight(): number;
  /** Begins to measure, in the background: nothing waits for the endpoint. Later calls do nothing. */
  learn(db: Reader): void;
}

export function meaningTrust(meaning: Meaning | null): MeaningTrust {
  let weight = weightOfMeaning({ pairs: 0, agreed: 0 });
  let hasBegun = meaning === null;
  return {
    weight: () => weight,
    learn: (db) => {
      if (hasBegun || meaning === null) return;
      hasBegun = true;
      measureMeaning(db, meaning).then(
        (benefit) => {
          weight = weightOfMeaning(benefit);
        },
        // The ranking reports an endpoint that fails; the store may be closed by now.
        () => undefined,
      );
    },
  };
}
