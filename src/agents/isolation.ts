/**
 * How surely an agent's processes die. `pid-namespace`: all of them, even if ralph itself is killed outright;
 * `process-group`: a sweep after each iteration, and the next start reaps what a killed ralph left.
 */
export type IsolationLevel = "pid-namespace" | "process-group";
