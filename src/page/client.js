// The page's own script: signs in with the code of the address, follows the sections, sends what a button asks for.
const live = document.getElementById("live");
const say = (text) => {
  live.textContent = text;
};
const ask = (path, body) =>
  fetch(path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "x-ralph-token": sessionStorage.getItem("ralph-token") ?? "",
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const again =
  "This page is not signed in: its link was used or is too old. Press Enter in the terminal of ralph dashboard for another.";

const callbacks = {
  // Keeps what a person opened, typed or asked for.
  beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
  beforeNodeMorphed: (node) => !(node.tagName === "INPUT" || node.dataset?.keep),
};
const show = ({ id, html }) => {
  const old = document.getElementById(id);
  Idiomorph.morph(old, html, { morphStyle: "outerHTML", callbacks });
};

const read = async (stream) => {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").find((line) => line.startsWith("data: "));
      if (data) show(JSON.parse(data.slice(6)));
    }
  }
};

const follow = async () => {
  for (;;) {
    try {
      const answer = await ask("/events");
      if (answer.status === 401) return say(again);
      if (answer.ok) {
        say("");
        await read(answer.body);
      }
    } catch {
      // The server is gone, or comes again.
    }
    say("No connection to ralph dashboard. Trying again.");
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
};

const act = async (name, id, text) => {
  const answer = await ask("/act", { name, id, text });
  say(answer.ok || answer.status === 422 ? (await answer.json()).text : "That was refused.");
};
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("button");
  if (!button) return;
  const { action, id, prompt, attempt } = button.dataset;
  if (action) await act(action, id, "");
  if (prompt) {
    const answer = await ask(`/prompt?task=${encodeURIComponent(prompt)}&attempt=${attempt}`);
    document.getElementById(button.getAttribute("aria-controls")).innerHTML = await answer.text();
  }
});
document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  if (form.dataset.action) {
    await act(form.dataset.action, form.dataset.id, form.elements.text.value);
    form.reset();
  } else {
    const answer = await ask(`/find?q=${encodeURIComponent(form.elements.q.value)}`);
    document.getElementById("found").innerHTML = await answer.text();
    say("Search finished.");
  }
});

const signIn = async () => {
  const code = location.hash.slice(1);
  if (!/^[0-9a-f]{32}$/.test(code)) return true;
  history.replaceState(null, "", "/");
  const answer = await ask("/session", { code });
  if (answer.ok) sessionStorage.setItem("ralph-token", (await answer.json()).token);
  else say(again);
  return answer.ok;
};
if (await signIn()) await follow();
