/** A compromised sidecar chooses ids: none of them displaces what the platform writes later. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEvent } from '../../../contract/audit-event.ts';
import { internalTokenHeader } from '../../../contract/sidecar.ts';
import { derivedId } from '../../../store/session-events/append.ts';
import type { Person } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { useSessionApi } from '../../support/use-session-api.ts';

const api = useSessionApi();
let admin: Person;
let member: Person;
let base: string;
let id: string;
let otherId: string;

beforeAll(async () => {
  ({ admin, member, base } = await api.workspace());
  otherId = (await api.runningSession(member, base)).session.id;
});
beforeEach(async () => {
  id = (await api.runningSession(member, base)).session.id;
});

const post = (path: string, body: unknown, session = id) => api.asSidecar(session, 'POST', path, body);
const call = (callId: string) => ({
  calls: [
    {
      call_id: callId,
      server: 'platform',
      tool: 'emit_status',
      started_at: new Date().toISOString(),
      duration_ms: 1,
      outcome: 'ok',
    },
  ],
});
const refusedCount = (countId: string) => ({
  counts: [
    {
      count_id: countId,
      server: 'platform',
      tool: 'emit_status',
      outcome: 'refused',
      minute: new Date().toISOString(),
      count: 1,
    },
  ],
});
const status = (eventId: string) => ({
  id: eventId,
  type: 'agent.status',
  payload: { status: 'x', detail: null },
});
const question = (requestId: string) => ({
  id: randomUUID(),
  type: 'agent.input_requested',
  payload: { input_request_id: requestId, prompt: 'which?', options: [] },
});
const share = (shareId: string) => ({
  id: randomUUID(),
  type: 'agent.shared',
  payload: {
    share_id: shareId,
    title: 't',
    audience: 'workspace',
    artifact_id: null,
    text: 'x',
    expires_at: null,
  },
});
const asks = (requestId: string) => ({
  request_id: requestId,
  grant_type: 'tool_scope',
  details: { scope: 'files.write' },
  scope: 'once',
  justification: 'j',
  refused_call: null,
});
const agentProcess = (sidecarRun: string) => ({
  ...{ kind: 'agent', name: 'agent', state: 'ready', exit_code: null, signal: null, cause: null },
  ...{ handshake_ms: null, sidecar_run: sidecarRun, revision: 1, starts: 1 },
});
const artifact = async (artifactId: string, session = id) => {
  const query = new URLSearchParams({ artifact_id: artifactId, name: 'a', mime_type: 'text/plain' });
  const response = await fetch(`${api.url}/internal/sessions/${session}/artifacts?${query}`, {
    method: 'POST',
    headers: {
      [internalTokenHeader]: api.token(session),
      'content-type': 'application/octet-stream',
    },
    body: 'bytes',
  });
  return { status: response.status, body: await response.json() };
};

describe('an id that a sidecar chooses', () => {
  it('is refused if the platform derives such ids, naming the field', async () => {
    const derived = derivedId(id, 'ended');
    const refused = [
      await post('tool-calls', call(derived)),
      await post('tool-calls/refused', refusedCount(derived)),
      await post('tool-calls/check', { call_id: derived, server: 'platform', tool: 'share' }),
      await post('events', status(derived)),
      await post('events', question(derived)),
      await post('events', share(derived)),
      await post('permission-requests', asks(derived)),
      await artifact(derived),
      await post('processes', agentProcess(derived)),
    ];
    for (const answer of refused) {
      expect(answer).toMatchObject({
        status: 422,
        body: { error: { fields: [{ path: expect.stringMatching(/id$|^sidecar_run$/) }] } },
      });
    }
  });

  it('does not replace the end of its session, in the transcript or in the audit trail', async () => {
    for (const eventId of [
      derivedId(id, 'ended'),
      ...['terminated', 'failed', 'completed'].map((to) => derivedId(id, 'running', to)),
    ]) {
      await post('tool-calls', call(eventId));
      await post('events', status(eventId));
    }
    await member.ok('POST', `/api/sessions/${id}/terminate`, { reason: 'enough' });
    await eventually(async () => {
      const { session } = await member.ok<{ session: { status: string } }>('GET', `/api/sessions/${id}`);
      expect(session.status).toBe('terminated');
    });
    const path = `${base}/audit-events?event=session.ended&resource=${id}`;
    const { audit_events } = await admin.ok<{ audit_events: AuditEvent[] }>('GET', path);
    expect(audit_events).toHaveLength(1);
  });

  it('of another session is a conflict, and changes nothing in that session', async () => {
    const [artifactId, eventId, requestId, shareId] = [1, 2, 3, 4].map(() => randomUUID());
    const first = [
      await artifact(artifactId ?? '', otherId),
      await post('events', status(eventId ?? ''), otherId),
      await post('events', question(requestId ?? ''), otherId),
      await post('events', share(shareId ?? ''), otherId),
    ];
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const again = [
      await artifact(artifactId ?? ''),
      await post('events', status(eventId ?? '')),
      await post('events', question(requestId ?? '')),
      await post('events', share(shareId ?? '')),
    ];
    for (const answer of again) {
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    }
  });
});
