/**
 * Messages to a session that waits for a sign-in: none is signalled to its workflow, and
 * all are there once it runs.
 */
import { expect, it } from '@jest/globals';
import { reaches, signIn, useRemoteSignIns, waiting } from './remote-sign-ins.ts';
import { api, member } from './two-remote-servers.ts';

useRemoteSignIns();

it('are not signalled to its workflow, and reach it once it runs', async () => {
  const { session, id } = await waiting();
  for (const text of ['one', 'two', 'three']) {
    await member.ok('POST', `/api/sessions/${session.id}/messages`, { text });
  }
  const { events } = await api.temporal.workflow.getHandle(`session/${session.id}`).fetchHistory();
  expect(events?.filter((event) => event.workflowExecutionSignaledEventAttributes)).toEqual([]);
  await signIn(id);
  await reaches(session, 'starting');
  const ready = await api.asSidecar(session.id, 'POST', 'ready', { control_url: 'http://127.0.0.1:1' });
  expect(ready.body).toMatchObject({ inputs: ['one', 'two', 'three'].map((text) => ({ text })) });
});
