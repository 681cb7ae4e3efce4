// Replaces the MCP SDK's own choice for Node in the bundle: its JSON Schema validator (Ajv) is half of the server's code and a
// quarter of the start of `ralph mcp`, which validates arguments itself. This validator of the SDK is a seventh of that size.
export { default as process } from "node:process";
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
