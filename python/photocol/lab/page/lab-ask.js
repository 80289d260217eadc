// Questions to the server: an answer is a line of JSON, and a question may have many. A new question of a kind gives up the one before.

const tab = crypto.randomUUID();
const open = new Map();
const LAST = new Set(["done", "stopped", "failed", "wrong"]);

/** An answer of one piece. */
export async function ask(path, asked = {}) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

/** Asks the simulator, and calls `heard` with each message; those of a question that was given up are not heard. */
export async function follow(asked, heard) {
  open.get(asked.do)?.abort();
  const control = new AbortController();
  open.set(asked.do, control);
  try {
    const answer = await fetch("/api/ask", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ tab, ...asked }), signal: control.signal });
    if (!answer.ok) throw new Error((await answer.text()).trim());
    let last;
    for await (const message of lines(answer.body)) {
      if (control.signal.aborted) return;
      last = message.kind;
      await heard(message, () => control.signal.aborted);
    }
    // The server hangs up on a browser that took nothing for long, as one does on a machine that slept.
    if (!LAST.has(last)) throw new Error("The answer was cut off; \u201cRun again\u201d starts it anew.");
  } catch (error) {
    if (control.signal.aborted) return;
    const isGone = error instanceof TypeError;
    await heard({ kind: "failed", sentence: isGone ? "The server does not answer: `photocol lab` has ended." : error.message }, () => false);
  } finally {
    if (open.get(asked.do) === control) open.delete(asked.do);
  }
}

/** Gives up what is asked. */
export function giveUp(doing) {
  open.get(doing)?.abort();
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop();
    for (const part of parts) if (part) yield JSON.parse(part);
  }
}
