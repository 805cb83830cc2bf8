/** Delivers what a human said or decided to the session's sidecar. */
import type { InputMessage } from '../../contract/agent-contract.ts';
import { controlKey, signControlRequest } from '../../contract/session-keys.ts';
import { controlHealth, controlRequestHeader, injectAnswer } from '../../contract/sidecar.ts';
import {
  hasSessionInputs,
  listSessionInputs,
  markInputsDelivered,
} from '../../store/session-inputs/inputs.ts';
import { readControlUrl } from '../../store/sessions/sessions.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { requireOwnAddress } from './require-own-address.ts';

const requestTimeoutMs = 5000;

/**
 * Posts every message that the sidecar does not have, in order, and records what it acknowledged. Begins
 * after the last one that it reports, so that a restarted one gets everything again. Throws while the sidecar
 * does not acknowledge, so that the workflow retries. Idempotent: the sidecar deduplicates by id.
 */
export async function deliverInputs(
  dependencies: ActivityDependencies,
  { sessionId }: { sessionId: string },
): Promise<void> {
  const { db } = dependencies;
  if (!(await hasSessionInputs(db, sessionId))) {
    return;
  }
  const sidecar = await findSidecar(dependencies, sessionId);
  let heldSeq = await readHeldSeq(sidecar);
  while (true) {
    await markInputsDelivered(db, sessionId, heldSeq);
    const messages = await listSessionInputs(db, sessionId, { after: heldSeq });
    const last = messages.at(-1);
    if (last === undefined) {
      return;
    }
    heldSeq = await inject(sidecar, messages);
    if (heldSeq < last.seq) {
      throw new Error('the sidecar did not take its messages');
    }
  }
}

interface Sidecar {
  controlUrl: string;
  key: string;
}

async function findSidecar(dependencies: ActivityDependencies, sessionId: string): Promise<Sidecar> {
  const { db, sessionKeySeed } = dependencies;
  const controlUrl = await readControlUrl(db, sessionId);
  if (controlUrl === null) {
    throw new Error('the sidecar has not reported where it takes messages');
  }
  await requireOwnAddress(dependencies, sessionId, controlUrl);
  return { controlUrl, key: controlKey(sessionKeySeed, sessionId) };
}

/** The number of the last message that the sidecar holds; 0 for none. */
async function readHeldSeq(sidecar: Sidecar): Promise<number> {
  return controlHealth.parse(await send(sidecar, 'GET', '/health')).last_seq;
}

/** The same, after sending these. */
async function inject(sidecar: Sidecar, messages: InputMessage[]): Promise<number> {
  return injectAnswer.parse(await send(sidecar, 'POST', '/inject', { messages })).last_seq;
}

/** Returns the sidecar's JSON response. Throws for every non-success status. */
async function send(
  { controlUrl, key }: Sidecar,
  method: 'GET' | 'POST',
  path: string,
  content?: object,
): Promise<unknown> {
  const body = content === undefined ? '' : JSON.stringify(content);
  const response = await fetch(new URL(path, controlUrl), {
    method,
    headers: {
      'content-type': 'application/json',
      [controlRequestHeader]: signControlRequest(key, { method, path, body, atMs: Date.now() }),
    },
    body: content === undefined ? null : body,
    redirect: 'error',
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the sidecar answered ${response.status}`);
  }
  return response.json();
}
