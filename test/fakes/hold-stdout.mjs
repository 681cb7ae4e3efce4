// Ends at once, while a child in a session of its own holds its stdout open for a minute.
import { spawn } from "node:child_process";

spawn("sleep", ["60"], { detached: true, stdio: ["ignore", "inherit", "inherit"] }).unref();
process.stdout.write("done, but for the pipe\n");
