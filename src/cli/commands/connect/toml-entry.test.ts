import { describe, expect, test } from "vitest";
import { hunkOf, undoHunk } from "./connection.ts";
import { tomlEntry } from "./entry-format.ts";

const value = { command: "ralph", args: ["mcp", "--connected"], env_vars: ["RALPH_TASK_ID"] };
const format = tomlEntry("mcp_servers", "ralph");
const table = `[mcp_servers.ralph]
command = "ralph"
args = [ "mcp", "--connected" ]
env_vars = [ "RALPH_TASK_ID" ]
`;

describe("AGENT-8: a table of a TOML file", () => {
  test.each([
    ["", table],
    ["# mine\nmodel = 'x' # fast\n", `# mine\nmodel = 'x' # fast\n\n${table}`],
    ["model = 'x'", `model = 'x'\n\n${table}`],
    [
      '[mcp_servers.other]\r\ncommand = "o"\r\n',
      `[mcp_servers.other]\r\ncommand = "o"\r\n\r\n${table.replaceAll("\n", "\r\n")}`,
    ],
  ])("is added at the end of %j and removed again", (before, after) => {
    const edited = format.add(before, value);
    expect(edited).toBe(after);
    expect(undoHunk(after, hunkOf(before, after))).toBe(before);
    expect(format.isWithout(after, format.remove(after))).toBe(true);
  });

  test("a changed table is removed with its sub-tables; what others wrote around it stays", () => {
    const others = `model = "x"\n\n# theirs\n[other]\nx = """\n[mcp_servers.ralph]\n"""\n`;
    const text = `model = "x"\n\n${table}tool_timeout_sec = 9\n\n[mcp_servers.ralph.tools.note_add]\napproval_mode = "approve"\n\n# theirs\n[other]\nx = """\n[mcp_servers.ralph]\n"""\n`;
    expect(() => format.remove(text)).toThrow(/not a table of its own/);
    const plain = text.replace('[mcp_servers.ralph]\n"""', '[mcp]\n"""');
    expect(format.remove(plain)).toBe(
      others.replace("[mcp_servers.ralph]", "[mcp]").replace("\n\n#", "\n\n\n#"),
    );
  });

  test.each([
    ["model = ", /not valid TOML/],
    ["mcp_servers = 1", /not an object/],
    ["mcp_servers = { other = { command = 'o' } }\n", /cannot be extended/],
  ])("is not added to %j", (text, why) => {
    expect(() => format.add(text, value)).toThrow(why);
  });

  test.each(["mcp_servers.ralph.command = 'x'\n", "[mcp_servers]\nralph = { command = 'x' }\n"])(
    "an entry in another notation is found: %j",
    (text) => {
      expect(format.read(text)).toMatchObject({ command: "x" });
      expect(() => format.remove(text)).toThrow(/not a table of its own/);
    },
  );
});
