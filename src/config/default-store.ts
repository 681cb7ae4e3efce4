/** Where the store is unless `store` says otherwise, relative to the project's root. */
export const defaultStore = ".ralph/progress.db";
