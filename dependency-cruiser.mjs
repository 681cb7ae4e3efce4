/**
 * The architecture of src/, as docs/ARCHITECTURE.md describes it. Run by `npm run check`:
 * `depcruise src test --config dependency-cruiser.mjs`. Needs TypeScript 6: under 7 dependency-cruiser finds
 * no module and reports success; test/architecture.test.ts fails then.
 */

/** Which rooms each room may import, besides itself. A room that is not listed here cannot exist. */
const mayImport = {
  base: [],
  sigils: ["base"],
  config: ["base"],
  process: ["base"],
  store: ["base"],
  trust: ["base"],
  workspace: ["base", "process"],
  events: ["base", "store", "trust"],
  tasks: ["base", "store", "events", "trust"],
  agents: ["base", "process", "events", "trust"],
  outcome: ["base", "sigils", "process", "store", "events", "workspace", "tasks", "agents", "trust"],
  search: ["base", "store", "trust"],
  memory: ["base", "sigils", "process", "store", "events", "trust", "search", "tasks", "outcome"],
  strategy: ["base", "store", "events", "trust", "tasks", "outcome"],
  context: ["base", "trust", "tasks", "memory"],
  service: ["base", "trust"],
  loop: ["base", "store", "trust", "events", "workspace", "tasks", "agents", "outcome", "memory", "strategy", "context", "service"],
  mcp: ["base", "trust", "events", "tasks", "memory"],
  view: ["base", "store", "trust", "events", "tasks", "outcome", "memory", "strategy"],
  ui: ["base", "trust", "events", "view"],
  page: ["base", "trust", "view"],
};
const rooms = [...Object.keys(mayImport), "cli"];
mayImport.cli = rooms.filter((room) => !["sigils", "process"].includes(room));

/** The lowest storey of a room: types and rows that its other storeys need and that other rooms may import too. */
const ground = { agents: "port", loop: "rows", memory: "port", store: "port", tasks: "graph", workspace: "git" };

/** Entries of one folder never import each other, except `shared`, which each of them may import. */
const siblings = [
  { what: "memory-kinds", folder: "memory", entry: "folder", shared: "port" },
  { what: "agent-adapters", folder: "agents", entry: "folder", shared: "(?:port|formats|session|limits|sandbox)" },
  { what: "store-drivers", folder: "store", entry: "folder", shared: "(?:migrations|port)" },
  { what: "task-importers", folder: "tasks/import/formats", entry: "file or folder" },
  { what: "command-groups", folder: "cli/commands", entry: "file or folder" },
];

/** External modules and the one folder that may import each. */
const owners = [
  { home: "process", modules: ["child_process"] },
  { home: "store/sqlite", modules: ["sqlite"], packages: ["@photostructure/sqlite"] },
  { home: "mcp", packages: ["@modelcontextprotocol/[^/]+", "zod"] },
  { home: "page", packages: ["hono", "@hono/[^/]+", "idiomorph"] },
  { home: "cli", packages: ["commander", "@commander-js/[^/]+"] },
];

const unitTest = "[.]test[.]tsx?$";
const anyRoom = `^src/(${rooms.join("|")})/`;
const error = (name, comment, from, to) => ({ name, severity: "error", comment, from, to });

const roomRules = rooms.map((room) => {
  const allowed = [room, ...mayImport[room]];
  return error(
    `room-${room}`,
    `src/${room} may import only: ${allowed.join(", ")}`,
    { path: `^src/${room}/` },
    { path: "^src/", pathNot: `^src/(${allowed.join("|")})/` },
  );
});

const siblingRules = siblings.map(({ what, folder, entry, shared }) => {
  const end = entry === "folder" ? "/" : "[/.]";
  const own = [`^src/${folder}/$1${end}`, ...(shared ? [`^src/${folder}/${shared}/`] : [])];
  return error(
    `siblings-${what}`,
    `What two of them need goes one level up${shared ? `, or into ${shared}/` : ""}.`,
    { path: `^src/${folder}/([^/.]+)${end}` },
    { path: `^src/${folder}/[^/.]+${end}`, pathNot: own },
  );
});

const ownerRules = owners.map(({ home, modules = [], packages = [] }) => {
  const builtins = modules.map((name) => `^(node:)?${name}$`);
  // Installed (also as type declarations) or, where it is not installed, by its bare name.
  const installed = packages.map((name) => `(^|node_modules/)(@types/)?${name}(/|$)`);
  return error(
    `owner-${home.replace("/", "-")}`,
    `Only src/${home} imports ${[...modules, ...packages].join(", ")}.`,
    { path: "^src/", pathNot: `^src/${home}/` },
    { path: [...builtins, ...installed], pathNot: "^src/" },
  );
});

const groundFolders = Object.entries(ground).map(([room, storey]) => `^src/${room}/${storey}/`);

export default {
  forbidden: [
    ...roomRules,
    ...siblingRules,
    ...ownerRules,
    error("every-room-is-listed", "Add the room to the table on purpose.", { path: "^src/", pathNot: anyRoom }, {}),
    error("only-listed-rooms", "The other end of the rule above.", {}, { path: "^src/", pathNot: anyRoom }),
    error(
      "storeys-are-private",
      "Import a top-level file of the other room, or its ground storey: those are its interface.",
      { path: "^src/([^/]+)/" },
      { path: "^src/[^/]+/[^/]+/", pathNot: ["^src/$1/", ...groundFolders] },
    ),
    error("no-cycle", "Type imports count.", {}, { circular: true }),
    error(
      "not-to-test",
      "What runs never imports what tests it.",
      { path: "^src/", pathNot: unitTest },
      { path: ["^(test|bench)/", unitTest] },
    ),
    error(
      "not-to-dev-dependency",
      "A user does not have it.",
      { path: "^src/", pathNot: unitTest },
      { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    ),
    error(
      "globals-not-modules",
      "Use the global process: biome watches its env, exit, stdout and stderr there.",
      { path: "^src/" },
      { path: "^(node:)?(process|console)$" },
    ),
    error(
      "no-orphan",
      "Nothing uses it, and it uses nothing.",
      { orphan: true, path: "^src/", pathNot: [unitTest, "[.]d[.]ts$"] },
      {},
    ),
    error("resolves", "The file or package is not there.", {}, { couldNotResolve: true }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    detectProcessBuiltinModuleCalls: true,
    // Absent from Node 20, so not known there as built in.
    builtInModules: { add: ["node:sqlite"] },
    // Without these, packages that have only an exports map (the MCP SDK) do not resolve.
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["node", "import", "default", "types"] },
  },
};
