import type { TestContext } from "vitest";

/** How much of something a test tries: `otherwise`, or what the variable asks of a longer form. */
export function testSize(variable: string, otherwise: number): number {
  return Number(process.env[variable] ?? otherwise);
}

/**
 * The variants that a test tries: the first `few`, which stand for the others, or all of them where `variable` asks for the
 * longer form (`npm run test:variants`).
 */
export function variants<T>(all: readonly T[], few: number, variable = "RALPH_TEST_VARIANTS"): readonly T[] {
  return process.env[variable] === undefined ? all.slice(0, few) : all;
}

/**
 * Leaves a test to the longer form: it tries another way to what a test of the default suite shows. A requirement's only test
 * cannot be one of these.
 */
export function onlyInLongForm({ skip }: TestContext, variable = "RALPH_TEST_VARIANTS"): void {
  skip(process.env[variable] === undefined, `${variable} is not set`);
}
