/** An approved call end to end: refused, requested, decided by a human, continued, audited. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import type { FrontDoor } from '../support/front-door.ts';

const write = (path: string, expected?: string) => ({
  call: 'files.write_file',
  arguments: { path, content: 'written by an agent' },
  ...(expected === undefined ? {} : { expect: expected }),
});
const ask = (scope: string) => ({
  call: 'platform.request_grant',
  arguments: {
    grant_type: 'tool_scope',
    details: { scope: 'files.write' },
    scope,
    justification: 'To write the report.',
  },
});
const waitFor = (text: string) => ({ wait_for_message: { contains: text, timeout_seconds: 60 } });
const read = (path: string) => ({ call: 'files.read_text_file', arguments: { path } });

describe('a gated call', () => {
  let demo: DemoWorkspace;
  let ada: FrontDoor;
  let max: FrontDoor;

  beforeAll(async () => {
    demo = await openDemoWorkspace();
    ada = await demo.signIn('ada');
    max = await demo.signIn('max');
  });
  afterAll(() => demo?.close());

  const outcomes = async (sessionId: string) =>
    (await ada.toolCalls(sessionId))
      .filter((event) => event.data['name'] === 'files')
      .map(({ data }) => ({
        tool: data['tool'],
        outcome: data['outcome'],
        granted_via: data['granted_via'],
      }));

  it('passes once under a once grant, and the audit trail names the grant', async () => {
    const agent = await max.createAgent(
      'once',
      [
        write('/workspace/a.txt', 'permission_required'),
        ask('once'),
        waitFor('approved'),
        write('/workspace/a.txt'),
        read('/workspace/a.txt'),
        write('/workspace/b.txt', 'permission_required'),
      ],
      { files: {} },
    );
    const session = await max.startSession(agent.id);
    const request = await max.openRequest(session.id);
    expect(request).toMatchObject({
      scope: 'once',
      details: { scope: 'files.write' },
      refused_call: { server: 'files', tool: 'write_file' },
    });
    const grant = await max.approve(request);

    expect(await max.ended(session.id)).toMatchObject({ status: 'completed' });
    expect(await outcomes(session.id)).toEqual([
      { tool: 'write_file', outcome: 'permission_required', granted_via: null },
      { tool: 'write_file', outcome: 'ok', granted_via: grant.id },
      { tool: 'read_text_file', outcome: 'ok', granted_via: null },
      { tool: 'write_file', outcome: 'permission_required', granted_via: null },
    ]);
    const { grants } = await ada.ok<{ grants: Grant[] }>(
      'GET',
      `${ada.workspace}/grants?agent_subject_id=${agent.id}`,
    );
    expect(grants).toMatchObject([{ id: grant.id, granted_by_user_id: (await max.me()).user.id }]);
    expect(grants[0]?.consumed_at).not.toBeNull();
  });

  it('passes for the rest of the session under a session grant, and not in the next session', async () => {
    const agent = await max.createAgent(
      'for-a-session',
      [
        write('/workspace/a.txt', 'permission_required'),
        ask('session'),
        waitFor('approved'),
        write('/workspace/a.txt'),
        write('/workspace/b.txt'),
      ],
      { files: {} },
    );
    const first = await max.startSession(agent.id);
    const grant = await max.approve(await max.openRequest(first.id));
    expect(await max.ended(first.id)).toMatchObject({ status: 'completed' });
    expect((await outcomes(first.id)).slice(1)).toEqual([
      { tool: 'write_file', outcome: 'ok', granted_via: grant.id },
      { tool: 'write_file', outcome: 'ok', granted_via: grant.id },
    ]);

    const second = await max.startSession(agent.id);
    await max.openRequest(second.id);
    await max.ok('POST', `/api/sessions/${second.id}/terminate`, { reason: 'seen enough' });
    expect(await max.ended(second.id)).toMatchObject({ status: 'terminated' });
    expect((await outcomes(second.id))[0]).toMatchObject({ outcome: 'permission_required' });
  });

  it('passes in every later session under a persistent grant, until it is revoked', async () => {
    const asking = await ada.createAgent(
      'for-good',
      [
        write('/workspace/a.txt', 'permission_required'),
        ask('persistent'),
        waitFor('approved'),
        write('/workspace/a.txt'),
      ],
      { files: {} },
    );
    const first = await ada.startSession(asking.id);
    const grant = await ada.approve(await ada.openRequest(first.id));
    expect(await ada.ended(first.id)).toMatchObject({ status: 'completed' });

    const steps = JSON.stringify({ steps: [write('/workspace/c.txt')] });
    await ada.ok('PATCH', `/api/agents/${asking.id}`, { instructions: steps });
    const second = await ada.startSession(asking.id);
    expect(await ada.ended(second.id)).toMatchObject({ status: 'completed' });
    expect(await outcomes(second.id)).toEqual([{ tool: 'write_file', outcome: 'ok', granted_via: grant.id }]);

    await ada.ok('DELETE', `${ada.workspace}/grants/${grant.id}`);
    const third = await ada.startSession(asking.id);
    expect(await ada.ended(third.id)).toMatchObject({ status: 'failed' });
    expect(await outcomes(third.id)).toEqual([
      { tool: 'write_file', outcome: 'permission_required', granted_via: null },
    ]);
  });

  it('passes for whatever agent a person drives under a grant to that person', async () => {
    const { user } = await max.me();
    const { grant } = await max.ok<{ grant: Grant }>('POST', `${max.workspace}/grants`, {
      user_subject_id: user.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'persistent',
      reason: 'my own sessions',
    });
    const agent = await max.createAgent('for-me', [write('/workspace/a.txt')], { files: {} });
    const mine = await max.startSession(agent.id);
    expect(await max.ended(mine.id)).toMatchObject({ status: 'completed' });
    expect(await outcomes(mine.id)).toEqual([{ tool: 'write_file', outcome: 'ok', granted_via: grant.id }]);

    const hers = await ada.startSession(agent.id);
    expect(await ada.ended(hers.id)).toMatchObject({ status: 'failed' });
    await max.ok('DELETE', `${max.workspace}/grants/${grant.id}`);
  });

  it('stays refused after a denial, and the agent reads why', async () => {
    const agent = await max.createAgent(
      'denied',
      [
        write('/workspace/a.txt', 'permission_required'),
        ask('once'),
        waitFor('denied'),
        write('/workspace/a.txt', 'permission_required'),
      ],
      { files: {} },
    );
    const session = await max.startSession(agent.id);
    const request = await max.openRequest(session.id);
    const path = `${ada.workspace}/permission-requests/${request.id}`;
    const denied = await max.ok<{ permission_request: PermissionRequest }>('POST', `${path}/deny`, {
      reason: 'not today',
    });
    expect(denied.permission_request).toMatchObject({ status: 'denied', reason: 'not today' });
    expect(await max.ended(session.id)).toMatchObject({ status: 'completed' });

    const decided = (await max.events(session.id)).find((event) => event.type === 'permission.decided');
    expect(decided?.payload).toMatchObject({ status: 'denied', grant_id: null, reason: 'not today' });
    const again = await max.send('POST', `${path}/deny`, {});
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'already_decided' } } });
    const { grants } = await ada.ok<{ grants: Grant[] }>(
      'GET',
      `${ada.workspace}/grants?agent_subject_id=${agent.id}`,
    );
    expect(grants).toEqual([]);
  });
});
