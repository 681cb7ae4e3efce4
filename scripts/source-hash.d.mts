/** The file with the hash of the sources that `dist/` was built from, relative to the repository. */
export const hashFile: string;

/** Returns the SHA-256 of the names and contents of the product's source files in `root`; tests do not count. */
export function sourceHash(root: string): string;
