/** Previews as `preview_deploy` leaves them, for tests of those who open them. */
import { randomUUID } from 'node:crypto';
import { createSession } from '../../commands/sessions/create.ts';
import type { Transaction } from '../../store/database.ts';
import { insertPreview } from '../../store/previews/previews.ts';
import type { Person, TestApi } from './api.ts';
import { requestAtHost } from './request-at-host.ts';

/**
 * A preview of one file. Returns how a person opens it, which returns how its file is asked for: with
 * the status of the answer.
 */
export async function deployPreview(
  api: TestApi,
  { workspace, member, base }: Awaited<ReturnType<TestApi['workspace']>>,
) {
  const body = { name: 'maker', run: { type: 'builtin', name: 'scripted' } };
  const { agent } = await member.ok<{ agent: { id: string } }>('POST', `${base}/agents`, body);
  const sessionId = randomUUID();
  await createSession(api.db, {
    ...{ id: sessionId, workspaceId: workspace.id, agentId: agent.id, prompt: '' },
    ...{ operatorId: member.user.id, rootOperatorId: member.user.id, parentSessionId: null },
  });
  const { id: previewId } = await api.db.transaction((trx) =>
    insertPreview(trx, {
      ...{ workspaceId: workspace.id, sessionId, callId: randomUUID(), title: null, audience: 'workspace' },
      ...{ service: null, files: [{ path: 'index.html', bytes: Buffer.from('<p>here') }], seconds: 600 },
    }),
  );
  return async (who: Person) => {
    const { headers } = await who.send('GET', `${base}/previews/${previewId}/open`);
    const { host } = new URL(headers.get('location') ?? '');
    const sent = { host, path: '/', headers: {}, method: 'GET' };
    return async (signal = new AbortController().signal) =>
      (await requestAtHost(api.url, { ...sent, signal })).status;
  };
}

const waitingReads = "select from pg_locks where not granted and relation = 'preview_files'::regclass";
/** Reads of files that wait for the one who has locked them. */
export const fileReadsThatWait = async (trx: Transaction): Promise<number> =>
  (await trx.raw(waitingReads)).rows.length;
