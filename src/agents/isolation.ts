/**
 * How reliably an agent's processes are killed. `pid-namespace`: all of them, even if ralph itself gets SIGKILL;
 * `process-group`: by a scan after each iteration, and by the next start for what a killed ralph left behind.
 */
export type IsolationLevel = "pid-namespace" | "process-group";
