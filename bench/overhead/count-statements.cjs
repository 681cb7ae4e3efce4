// Loaded before ralph itself: at the end of `ralph run` writes the SQL statements that its process ran, in order, to the
// file BENCH_STATEMENTS_FILE, as JSON. Wraps the SQLite driver, so that ralph itself counts nothing.
const { writeFileSync } = require("node:fs");
const Module = require("node:module");
const file = process.env.BENCH_STATEMENTS_FILE;
if (file && /ralph\.js$/.test(process.argv[1] ?? "") && process.argv[2] === "run") {
  const statements = [];
  const counted = (DatabaseSync) =>
    class extends DatabaseSync {
      exec(sql) {
        statements.push(...sql.split(";").filter((one) => one.trim()));
        return super.exec(sql);
      }
      prepare(sql) {
        const statement = super.prepare(sql);
        const count =
          (name) =>
          (...params) => {
            statements.push(sql);
            return statement[name](...params);
          };
        return { all: count("all"), get: count("get"), run: count("run") };
      }
    };
  const load = Module._extensions[".node"];
  Module._extensions[".node"] = (module, name) => {
    load(module, name);
    const { DatabaseSync } = module.exports;
    if (DatabaseSync) module.exports = { ...module.exports, DatabaseSync: counted(DatabaseSync) };
  };
  if (Number(process.versions.node.split(".")[0]) >= 24) {
    const builtIn = process.getBuiltinModule("node:sqlite");
    builtIn.DatabaseSync = counted(builtIn.DatabaseSync);
  }
  process.on("exit", () => writeFileSync(file, JSON.stringify(statements)));
}
