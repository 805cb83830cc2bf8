/** An undecided request: its outcome is expired, not denied. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { FrontDoor } from '../support/front-door.ts';
import { type Platform, startPlatform } from '../support/platform.ts';

describe('an undecided permission request', () => {
  let platform: Platform;
  let ada: FrontDoor;

  beforeAll(async () => {
    platform = await startPlatform({
      env: { REQUEST_EXPIRY_SECONDS: '4' },
      usesRunServers: true,
      withoutDemoSession: true,
    });
    ada = await FrontDoor.signIn(platform.url, 'ada@demo.test');
  });
  afterAll(() => platform?.stop());

  it('expires, the agent is notified, no grant is created, and a late approval is refused', async () => {
    const ask = {
      call: 'platform.request_grant',
      arguments: {
        grant_type: 'tool_scope',
        details: { scope: 'files.write' },
        scope: 'session',
        justification: 'To write.',
      },
    };
    const write = {
      call: 'files.write_file',
      arguments: { path: '/workspace/a.txt', content: 'x' },
      expect: 'permission_required',
    };
    const told = { wait_for_message: { contains: 'expired', timeout_seconds: 60 } };
    const agent = await ada.createAgent('unheard', [write, ask, told, write], { files: {} });
    const session = await ada.startSession(agent.id);
    expect(await ada.ended(session.id)).toMatchObject({ status: 'completed' });
    const path = `/api/workspaces/demo/permission-requests?session_id=${session.id}`;
    const { permission_requests } = await ada.ok<{ permission_requests: PermissionRequest[] }>('GET', path);
    expect(permission_requests).toMatchObject([{ status: 'expired', decided_by: null, grant_id: null }]);
    const late = await ada.send('POST', '/api/workspaces/demo/grants', {
      agent_subject_id: agent.id,
      grant_type: 'tool_scope',
      details: { scope: 'files.write' },
      scope: 'once',
      request_id: permission_requests[0]?.id,
    });
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'already_decided' } } });
    expect(await ada.ok('GET', `/api/workspaces/demo/grants?agent_subject_id=${agent.id}`)).toMatchObject({
      grants: [],
    });
  });
});
