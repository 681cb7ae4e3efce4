/** Fails the test that runs: for errors that ralph would only warn of. */
export function rejectLater(error: unknown): void {
  void Promise.reject(error);
}
