/** Reports whether a store's address names a PostgreSQL server rather than a file. */
export function isPostgresUrl(address: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(address);
}
