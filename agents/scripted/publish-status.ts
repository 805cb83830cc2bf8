import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentEventInput } from '../../contract/agent-contract.ts';

const attempts = 40;
const pauseMs = 250;

/** Publishes through `POST /event`, retrying while the sidecar is unreachable. A status is for people: it never fails the run. */
export async function publishStatus(
  socketPath: string,
  status: string,
  detail: string | null,
): Promise<void> {
  const event: AgentEventInput = { type: 'agent.status', payload: { status, detail } };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if ((await post(socketPath, JSON.stringify(event))) !== null) {
      return;
    }
    await sleep(pauseMs);
  }
}

/** The status code, or null when nobody answered. */
function post(socketPath: string, body: string): Promise<number | null> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const call = request(
      { socketPath, path: '/event', method: 'POST', headers, agent: false },
      (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? null));
      },
    );
    call.on('error', () => resolve(null));
    call.end(body);
  });
}
