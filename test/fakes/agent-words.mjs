// The words of the fake agents, in each stream format.

export const answerText = "All finished.\n<task-done>t-1</task-done>";
export const usage = {
  input_tokens: 10,
  output_tokens: 2,
  cache_read_input_tokens: 3,
  cache_creation_input_tokens: 4,
};

/** A line of a stream. */
export const event = (value) => `${JSON.stringify(value)}\n`;
export const message = (text) => ({
  id: "m1",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text }],
});
const lines = (...values) => values.map(event).join("");

/** The beginning of a session, its answer, and its failure. */
export function words(format) {
  return formats[format]();
}

const formats = {
  text: () => ({ start: "", answer: answerText, fail: "" }),
  "claude-stream-json"() {
    const result = "API Error: 529 Overloaded";
    const failed = { is_error: true, api_error_status: 529, result, usage };
    const facts = { is_error: false, result: answerText, usage, total_cost_usd: 0.5, type: "result" };
    return {
      start: event({ type: "system", subtype: "init", session_id: "s1", model: "m" }),
      answer: lines(
        { type: "assistant", message: message(answerText), parent_tool_use_id: null },
        { subtype: "success", ...facts },
      ),
      fail: event({ type: "result", subtype: "success", ...failed }),
    };
  },
  "pi-json"() {
    const spent = { input: 10, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.5 } };
    const content = [{ type: "text", text: answerText }];
    const said = { role: "assistant", content, model: "m", usage: spent, stopReason: "stop" };
    const failed = {
      role: "assistant",
      content: [],
      usage: {},
      stopReason: "error",
      errorMessage: "529 Overloaded",
    };
    const end = (one) => lines({ type: "message_end", message: one }, { type: "agent_end", messages: [one] });
    return {
      start: lines({ type: "session", version: 3, id: "s1" }, { type: "agent_start" }),
      answer: end(said),
      fail: end(failed),
    };
  },
};
