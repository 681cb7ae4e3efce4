import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import { array, object, text } from "../formats/json-events.ts";
import type { ModelOffer, TokenPrice } from "../port/model-offer.ts";
import { askProgram } from "../session/ask-program.ts";

const question = { type: "control_request", request_id: "models", request: { subtype: "initialize" } };

const flags = [
  ...["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
  // Nothing of the project is executed, and no session is left.
  ...["--setting-sources", "user", "--strict-mcp-config", "--no-session-persistence"],
  ...["--settings", '{"disableAllHooks":true}'],
];

/** Asks Claude Code for its models, as its own library does: no request is made. */
export async function claudeModels(
  program: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ModelOffer | null> {
  const call = { argv: [program, ...flags] as const, cwd, env };
  return await askProgram<ModelOffer>(call, (write, settle) => ({
    start: () => write(`${JSON.stringify(question)}\n`),
    line(line) {
      const event = parseJson(line);
      if (isObject(event) && event["type"] === "control_response")
        settle(offerOf(object(object(event["response"])["response"]), env));
    },
  }));
}

/** `opus[1m]`: with a larger context. */
const words = /^(?:best|opusplan|(?:default|opus|sonnet|haiku|fable)(?:\[1m\])?)$/;

/** Null: no list. Where a person names another API or provider, its models have other names. */
function offerOf(answer: JsonObject, env: Readonly<Record<string, string>>): ModelOffer | null {
  const models = array(answer["models"])
    .map(object)
    .flatMap((one) => {
      const name = text(one["value"]);
      if (name === null) return [];
      const efforts = array(one["supportedEffortLevels"]).filter((level) => typeof level === "string");
      return [
        {
          ...{ name, means: text(one["resolvedModel"]), price: priceIn(text(one["description"])) },
          ...{ efforts: efforts.length > 0 ? efforts : null, isDefault: name === "default" },
        },
      ];
    });
  if (models.length === 0) return null;
  const { apiProvider = "firstParty" } = object(answer["account"]);
  const isOwn = apiProvider === "firstParty" && !env["ANTHROPIC_BASE_URL"];
  return { models, mayTake: (name) => !isOwn || /^claude-/.test(name) || words.test(name) };
}

/** Reads `Opus 5.5 · Best for complex tasks · $4/$20 per Mtok`. */
function priceIn(description: string | null): TokenPrice | null {
  const [, input, output] = /\$([\d.]+)\/\$([\d.]+) per Mtok/.exec(description ?? "") ?? [];
  return input && output ? { input: Number(input), output: Number(output) } : null;
}
