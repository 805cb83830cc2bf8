import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ApprovalClaims } from '../../../contract/approval.ts';
import { passkeyPlace } from '../../../contract/passkey.ts';
import { grantChallenge, isAnsweredInTime } from '../../../contract/passkey-challenge.ts';

describe('an address of the platform', () => {
  it.each(['https://agents.example.com', 'http://localhost:8080', 'http://a.localhost:1'])(
    'has passkeys: %s',
    (origin) => expect(passkeyPlace(origin)).toEqual({ origin }),
  );
  it.each([
    ['http://127.0.0.1:8080', 'IP address'],
    ['https://192.0.2.7', 'IP address'],
    ['http://[::1]:8080', 'IP address'],
    ['http://agents.example.com', 'not https'],
    ['http://localhost.example.com', 'not https'],
    [null, 'PUBLIC_URL'],
  ])('has none: %s', (origin, reason) =>
    expect(passkeyPlace(origin)).toEqual({ reason: expect.stringContaining(reason) }),
  );
});

describe('the challenge of a grant', () => {
  const grant: ApprovalClaims['grant'] = {
    id: '7f1d0c34-6a35-4c1e-9a39-2f2f4f1f0001',
    workspace_id: '7f1d0c34-6a35-4c1e-9a39-2f2f4f1f0002',
    user_subject_id: null,
    agent_subject_id: '7f1d0c34-6a35-4c1e-9a39-2f2f4f1f0003',
    grant_type: 'tool_scope',
    details: { scope: 'files.write' },
    scope: 'once',
    session_id: null,
    reason: null,
    granted_by_user_id: '7f1d0c34-6a35-4c1e-9a39-2f2f4f1f0004',
    granted_by_role: 'member',
    request_id: null,
    bound_call_digest: null,
    expires_at: null,
  };

  const begunAt = '2026-12-01T10:00:00.000Z';

  it('is the hash of these very bytes, whichever part computes it', () => {
    const parts = [
      'platform-grant-challenge/2',
      begunAt,
      `{"agent_subject_id":"${grant.agent_subject_id}","bound_call_digest":null,"details":{"scope":"files.write"},` +
        `"expires_at":null,"grant_type":"tool_scope","granted_by_role":"member",` +
        `"granted_by_user_id":"${grant.granted_by_user_id}","id":"${grant.id}","reason":null,"request_id":null,` +
        `"scope":"once","session_id":null,"user_subject_id":null,"workspace_id":"${grant.workspace_id}"}`,
    ];
    expect(grantChallenge(grant, begunAt)).toBe(
      createHash('sha256').update(parts.join('\n')).digest('base64url'),
    );
    expect(grantChallenge(grant, begunAt)).toBe('O2MGmj6SfD9OVmu5dhVYtN4SvMb-T36uiWOsV3CA3Lo');
  });

  it('is answered within five minutes, whatever the clocks of two machines differ by', () => {
    const after = (seconds: number) => isAnsweredInTime(begunAt, Date.parse(begunAt) + seconds * 1000);
    expect([-61, -60, 0, 300, 301].map(after)).toEqual([false, true, true, true, false]);
    expect(isAnsweredInTime('never', 0)).toBe(false);
  });

  it('is another one for every member of the grant that differs, and none for their order', () => {
    const changes: Partial<ApprovalClaims['grant']>[] = [
      { id: grant.workspace_id },
      { workspace_id: grant.id },
      { user_subject_id: grant.id },
      { agent_subject_id: null },
      { grant_type: 'spawn' },
      { details: { scope: 'files.writes' } },
      { scope: 'persistent' },
      { session_id: grant.id },
      { reason: '' },
      { granted_by_user_id: grant.id },
      { granted_by_role: 'admin' },
      { request_id: grant.id },
      { bound_call_digest: 'a'.repeat(64) },
      { expires_at: '2030-01-01T00:00:00.000Z' },
    ];
    expect(changes).toHaveLength(Object.keys(grant).length);
    const challenges = [{}, ...changes].map((change) => grantChallenge({ ...grant, ...change }, begunAt));
    expect(new Set(challenges).size).toBe(challenges.length);
    const turned = Object.fromEntries(Object.entries(grant).reverse()) as typeof grant;
    expect(grantChallenge(turned, begunAt)).toBe(grantChallenge(grant, begunAt));
    expect(grantChallenge(grant, '2026-12-01T10:00:00.001Z')).not.toBe(grantChallenge(grant, begunAt));
  });
});
