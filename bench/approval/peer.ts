/**
 * The same workflows with activities that return at once: what Temporal takes for an approval, and nothing of
 * the platform can undercut.
 */
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { sessionSignals } from '../../contract/workflows.ts';
import { startTestWorker } from '../../test/support/worker.ts';
import {
  ScriptedPlatform,
  ScriptedRequest,
  ScriptedSession,
} from '../../test/workflows/scripted-activities.ts';
import { createWorkflows } from '../../workflows/client.ts';
import { until } from '../shared/until.ts';

export interface Peer {
  client: Client;
  /**
   * Starts the workflow of a request; its `approve` takes milliseconds from the update
   * to the delivered message.
   */
  ask(): Promise<{ approve(): Promise<number> }>;
  close(): Promise<void>;
}

const summary = 'Bench';
const inTime = { everyMs: 20, limitMs: 60_000 };

/** `bundle`: the workflows that the platform runs. */
export async function openPeer(temporalAddress: string, bundle: { code: string }): Promise<Peer> {
  process.env['TEST_TEMPORAL_ADDRESS'] = temporalAddress;
  const scripted = new ScriptedPlatform();
  const { activities } = scripted;
  let onDelivery = () => {};
  const deliverInputs: typeof activities.deliverInputs = async (input) => {
    onDelivery();
    await activities.deliverInputs(input);
  };
  const worker = await startTestWorker({ bundle, activities: { ...activities, deliverInputs } });
  const workflows = createWorkflows(worker.client.workflow, worker.taskQueue);
  const sessionId = randomUUID();
  const session = new ScriptedSession();
  scripted.sessions.set(sessionId, session);
  await workflows.startSession(sessionId, summary);
  await until(() => session.calls.includes('started'), inTime);
  await workflows.signalSession(sessionId, sessionSignals.sidecarReady);
  if (!(await until(() => session.calls.includes('deliverInputs'), inTime))) {
    throw new Error(`the bare session came no further than ${session.calls.join(', ')}`);
  }
  return {
    client: worker.client,
    async ask() {
      const [requestId, decisionId] = [randomUUID(), randomUUID()];
      const request = new ScriptedRequest();
      request.sessionId = sessionId;
      request.decisions.set(decisionId, async () => ({ status: 'approved', grantId: randomUUID() }));
      scripted.requests.set(requestId, request);
      await workflows.startPermissionRequest(requestId, summary);
      return {
        async approve() {
          const startedMs = performance.now();
          const delivered = new Promise<number>((resolve) => {
            onDelivery = () => resolve(performance.now() - startedMs);
          });
          await workflows.decide(requestId, decisionId, summary);
          return delivered;
        },
      };
    },
    async close() {
      await workflows.signalSession(sessionId, sessionSignals.terminate);
      await until(() => session.recorded.length > 0, inTime);
      await worker.stop();
    },
  };
}
