/** Default path of the store, relative to the project's root. */
export const defaultStore = ".ralph/progress.db";
