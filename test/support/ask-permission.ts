import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { SessionApi } from './session-api.ts';

/** Asks for a permission as the session's sidecar does, with what is given in place of the usual; its id. */
export async function askPermission(
  api: SessionApi,
  sessionId: string,
  content: Record<string, unknown> = {},
): Promise<string> {
  const request_id = randomUUID();
  const answer = await api.asSidecar(sessionId, 'POST', 'permission-requests', {
    ...{ request_id, grant_type: 'tool_scope', details: { scope: 'files.write' }, scope: 'session' },
    ...{ justification: 'Please', refused_call: null },
    ...content,
  });
  expect(answer).toMatchObject({ status: 200, body: { status: 'sent', request_id } });
  return request_id;
}
