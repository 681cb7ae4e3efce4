import { amount, mapping, optional, record, type ValueType } from "./value-type.ts";

const price = mapping("{ input: dollars, output: dollars, cached: dollars }", {
  input: amount,
  output: amount,
  cached: optional(amount),
});

/** A person's own prices of models, in dollars per million tokens. */
export const modelPrices: ValueType = record("a mapping from models to prices", price);
