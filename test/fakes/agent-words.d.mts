/** The beginning of a session, its answer, and its failure, in a stream format. */
export function words(format: string): Record<"start" | "answer" | "fail", string>;
