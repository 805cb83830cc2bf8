/** Delivers what a human said or decided to the session's sidecar (spec, Session events; design 7). */
import type { InputMessage } from '../../contract/agent-contract.ts';
import { controlHeaders, controlKey } from '../../contract/session-keys.ts';
import { injectAnswer } from '../../contract/sidecar.ts';
import { listSessionInputs, markInputsDelivered } from '../../store/session-inputs/list.ts';
import { readControlUrl } from '../../store/sessions/control-url.ts';
import type { ActivityDependencies } from '../dependencies.ts';

const batchSize = 100;
const requestTimeoutMs = 5000;
const conflict = 409;

/**
 * Posts every undelivered input, in order, and notes what the sidecar acknowledged. Throws while the sidecar does not
 * acknowledge, so that the workflow tries again. Idempotent: the sidecar drops what it has seen by id.
 */
export async function deliverInputs(
  deps: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  const { db } = deps;
  const undelivered = await listSessionInputs(db, sessionId, { undeliveredOnly: true });
  if (undelivered.length === 0) {
    return;
  }
  if (!(await inject(deps, sessionId, undelivered))) {
    // This sidecar misses what an earlier one was given: send everything.
    const all = await listSessionInputs(db, sessionId, { undeliveredOnly: false });
    if (!(await inject(deps, sessionId, all))) {
      throw new Error('the sidecar refuses the order of its messages');
    }
  }
}

/** False when the sidecar says that earlier messages are missing. */
async function inject(
  { db, runtime, sessionKeySeed }: ActivityDependencies,
  sessionId: string,
  messages: InputMessage[],
): Promise<boolean> {
  const controlUrl = await readControlUrl(db, sessionId);
  if (controlUrl === null) {
    throw new Error('the sidecar has not reported where it takes messages');
  }
  // Where the session runs is the driver's to say: a report alone could send the messages anywhere.
  if (new URL(controlUrl).hostname !== (await runtime.sidecarHost(sessionId))) {
    throw new Error('the sidecar reported an address that is not its own');
  }
  const key = controlKey(sessionKeySeed, sessionId);
  for (let start = 0; start < messages.length; start += batchSize) {
    const batch = messages.slice(start, start + batchSize);
    const lastSeq = await post(controlUrl, key, batch);
    if (lastSeq === null) {
      return false;
    }
    await markInputsDelivered(db, sessionId, Math.min(lastSeq, batch.at(-1)?.seq ?? 0));
  }
  return true;
}

/** The last `seq` that the sidecar holds, or null when it misses earlier messages. */
async function post(controlUrl: string, key: string, messages: InputMessage[]): Promise<number | null> {
  const url = new URL('/inject', controlUrl);
  const body = JSON.stringify({ messages });
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...controlHeaders(key, { method: 'POST', path: url.pathname, body, atMs: Date.now() }),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  if (response.status === conflict) {
    await response.body?.cancel();
    return null;
  }
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the sidecar answered ${response.status}`);
  }
  return injectAnswer.parse(await response.json()).last_seq;
}
