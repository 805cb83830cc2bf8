import { request } from 'node:http';
import type { AgentEventInput } from '../../contract/agent-contract.ts';
import { wholeCharacters } from '../../contract/live-text.ts';
import { retry } from '../../lib/timing/retry.ts';

const untilReachable = { attempts: 40, firstDelayMs: 250 };

/**
 * Publishes through `POST /event`, retrying while the sidecar is unreachable. What is published is for
 * people: it never fails a run.
 */
export async function publishEvent(socketPath: string, event: AgentEventInput): Promise<void> {
  await retry(() => post(socketPath, '/event', event), untilReachable).catch(() => undefined);
}

/** Tells what was written of a message so far. Once: the next piece has this one in it. */
export const tellWritten = (socketPath: string, text: string): Promise<void> =>
  post(socketPath, '/live-text', { text: wholeCharacters(text) }).catch(() => undefined);

/** Resolves with any answer; rejects when nobody answered. */
function post(socketPath: string, path: string, body: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const call = request({ socketPath, path, method: 'POST', headers, agent: false }, (response) => {
      response.resume();
      response.once('close', () => resolve());
    });
    call.on('error', reject);
    call.end(JSON.stringify(body));
  });
}
