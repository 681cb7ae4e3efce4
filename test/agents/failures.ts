import type { AgentName } from "./genuine-agents.ts";
import type { Step } from "./model-server/step.ts";

/** How the providers of each program refuse a request. */
interface Failures {
  readonly key: Step;
  /** A used-up window that reopens at `resetsAt`. */
  limit(resetsAt: Date): Step;
  readonly broken: Step;
  readonly contextFull: Step;
}

const openai = {
  key: {
    status: 401,
    type: "invalid_api_key",
    message:
      "Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys.",
  },
  broken: {
    status: 500,
    type: "server_error",
    message: "The server had an error while processing your request.",
  },
  contextFull: {
    status: 400,
    type: "context_length_exceeded",
    message:
      "This model's maximum context length is 200000 tokens. However, your messages resulted in 210000 tokens. Please reduce the length of the messages.",
  },
};

/** Chat Completions, as providers of subscriptions speak it. */
const chat: Failures = {
  ...openai,
  limit: (resetsAt) => ({
    status: 429,
    type: "usage_limit_reached",
    message: `You have hit your usage limit. Try again in ${secondsTo(resetsAt)}s.`,
    headers: { "retry-after": String(secondsTo(resetsAt)) },
  }),
};

export const failures: Readonly<Record<AgentName, Failures>> = {
  claude: {
    key: { status: 401, type: "authentication_error", message: "invalid x-api-key" },
    limit: (resetsAt) => ({
      status: 429,
      type: "rate_limit_error",
      message: "This request would exceed your account's rate limit. Please try again later.",
      headers: {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": String(Math.floor(resetsAt.getTime() / 1000)),
        "anthropic-ratelimit-unified-representative-claim": "five_hour",
      },
    }),
    broken: { status: 500, type: "api_error", message: "Internal server error" },
    contextFull: {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 210000 tokens > 200000 maximum",
    },
  },
  codex: {
    ...openai,
    limit: (resetsAt) => ({
      status: 429,
      type: "usage_limit_reached",
      message: "The usage limit has been reached",
      fields: { plan_type: "plus", resets_at: Math.floor(resetsAt.getTime() / 1000) },
    }),
    // The API accepts the request and fails in the stream.
    contextFull: { ...openai.contextFull, status: 200 },
  },
  gemini: {
    key: {
      status: 400,
      type: "INVALID_ARGUMENT",
      message: "API key not valid. Please pass a valid API key.",
      fields: {
        details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
      },
    },
    limit: (resetsAt) => ({
      status: 429,
      type: "RESOURCE_EXHAUSTED",
      message: `You exceeded your current quota. Please retry in ${secondsTo(resetsAt)}s.`,
      fields: {
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ quotaId: "GenerateRequestsPerDayPerProjectPerModel-FreeTier" }],
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${secondsTo(resetsAt)}s` },
        ],
      },
    }),
    broken: { status: 500, type: "INTERNAL", message: "An internal error has occurred." },
    contextFull: {
      status: 400,
      type: "INVALID_ARGUMENT",
      message: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    },
  },
  opencode: chat,
  pi: chat,
};

function secondsTo(time: Date): number {
  return Math.round((time.getTime() - Date.now()) / 1000);
}
