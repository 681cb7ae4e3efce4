import fc from "fast-check";

// The default suite tries the same values each time, so that it fails only for a change. `RALPH_TEST_SEED=random npm test`
// looks for values that nobody thought of; a number repeats a run whose seed a failure printed.
const asked = process.env["RALPH_TEST_SEED"] ?? "1";
fc.configureGlobal({ seed: asked === "random" ? Date.now() % 2 ** 31 : Number(asked) });
