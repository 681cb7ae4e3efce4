// Loaded before the built ralph (`node --require`): keeps V8's compiled code of its files beside this file for the next
// process, which otherwise compiles the same functions again. The suite starts ralph a thousand times.
const { readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { basename, dirname, join, sep } = require("node:path");
const { constants, Script } = require("node:vm");

const compile = Module.prototype._compile;
/** @type {Map<string, Script>} */
const fresh = new Map();

Module.prototype._compile = function (content, filename, ...rest) {
  if (basename(dirname(filename)) !== "dist" || filename.includes(`${sep}node_modules${sep}`))
    return compile.call(this, content, filename, ...rest);
  const file = join(__dirname, `${basename(filename)}-${statSync(filename).mtimeMs}`);
  const script = new Script(Module.wrap(content), {
    filename,
    cachedData: readIfThere(file),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (script.cachedDataRejected !== false) fresh.set(file, script);
  const run = script.runInThisContext();
  return run.call(
    this.exports,
    this.exports,
    Module.createRequire(filename),
    this,
    filename,
    dirname(filename),
  );
};

process.once("exit", () => {
  try {
    for (const [file, script] of fresh) {
      writeFileSync(`${file}-${process.pid}`, script.createCachedData());
      renameSync(`${file}-${process.pid}`, file);
    }
  } catch {
    // A test has no disk to write to.
  }
});

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
