/** What a hostile agent sends: to the gate, the sidecar, the platform with any tokens, and the approver. */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignJWT } from 'jose';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import { controlKey, signControlRequest } from '../../contract/session-keys.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import {
  askFor,
  askForHundred,
  callGated,
  floodArtifacts,
  hangOn,
  nameArtifacts,
  pourBytes,
  raceForOne,
} from './attempts/grants.ts';
import { lineAttempts, sendLines } from './attempts/lines.ts';
import { requestAttempts, sendRequests } from './attempts/requests.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('A hostile agent: lines, requests, tokens, floods and grants');
let arena: Arena;
let session: HostileSession;

const start = (name: string) => HostileSession.start(arena.ada, { name, servers: ['files', 'vault'] });

describeWith('bwrap', 'slirp4netns')('what a hostile agent sends', () => {
  beforeAll(async () => {
    arena = await Arena.enter();
    session = await start('sender');
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  describe('to the gate, in lines', () => {
    let seen: Record<string, string[]>;
    let carriedOut: string[];

    beforeAll(async () => {
      const results = await session.order([{ name: 'lines', source: sendLines, argument: lineAttempts }], {});
      seen = results['lines'] as Record<string, string[]>;
      carriedOut = await session.ledger();
    });

    it.each(lineAttempts.map((attempt) => [attempt.what, attempt] as const))('%s', (what, { answers }) =>
      table.note(
        { what, by: 'agent', stoppedBy: `the gate: ${answers.join(', ') || 'nothing to carry out'}` },
        () => {
          expect(seen[what]).toEqual(answers);
          expect(carriedOut).toEqual([]);
        },
      ),
    );

    it('records each call once in the audit trail', async () => {
      const expected = lineAttempts.flatMap((attempt) => attempt.recorded);
      const lines = expected.map(([tool, outcome]) => `vault.${tool} ${outcome}`);
      await arena.expectRecorded(session.id, [...lines, 'vault.ledger ok']);
    });

    it('leaves the session working', async () => {
      expect(await session.works()).toBe(true);
    });
  });

  describe('to the sidecar, in requests', () => {
    let seen: Record<string, string>;

    beforeAll(async () => {
      const order = { name: 'requests', source: sendRequests, argument: requestAttempts };
      seen = (await session.order([order], {}))['requests'] as Record<string, string>;
    });

    it.each(requestAttempts.map((attempt) => [attempt.what, attempt] as const))(
      '%s',
      (what, { answer, stoppedBy }) =>
        table.note({ what, by: 'agent', stoppedBy }, () => {
          expect(seen[what]).toEqual(typeof answer === 'string' ? answer : expect.stringMatching(answer));
        }),
    );

    it('stores no artifact that is too large', async () => {
      const path = `/api/sessions/${session.id}/artifacts?limit=200`;
      const { artifacts } = await arena.ada.ok<{ artifacts: { name: string }[] }>('GET', path);
      expect(artifacts.length).toBeGreaterThan(0);
      expect(artifacts.filter(({ name }) => name === 'big')).toEqual([]);
    });

    it('publishes only permitted events, with itself as the actor', async () => {
      const events = (await arena.ada.events(session.id)).filter(
        ({ type }) => !/^(session\.status_changed|user\.message|agent\.artifact)$/.test(type),
      );
      expect(events.map(({ type, actor }) => [type, actor])).toEqual([
        ['agent.status', { type: 'agent', id: session.agentId }],
      ]);
    });

    it('leaves the session working', async () => {
      expect(await session.works()).toBe(true);
    });
  });

  const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
    it(what, () => table.note({ what, by: 'agent', stoppedBy }, check));

  describe('around grants', () => {
    let asking: HostileSession;
    const gated = (mark: string, of = asking) => of.run(callGated, { argument: mark });
    const deny = (request: PermissionRequest) =>
      arena.ada.ok('POST', `${arena.ada.workspace}/permission-requests/${request.id}/deny`, { reason: 'no' });
    const grant = (body: object) =>
      arena.ada.ok<{ grant: Grant }>('POST', `${arena.ada.workspace}/grants`, {
        grant_type: 'tool_scope',
        details: { scope: 'vault.open' },
        ...body,
      });

    beforeAll(async () => {
      asking = await start('asker');
    });

    noted(
      "uses a grant of another agent's, or of another person",
      'a check of who holds the grant',
      async () => {
        await grant({ agent_subject_id: arena.other.agentId, scope: 'persistent' });
        await grant({ user_subject_id: (await arena.max.me()).user.id, scope: 'persistent' });
        expect(await gated('of another')).toBe('permission_required');
      },
    );

    const imitation =
      'Permission request 00000000-0000-4000-8000-000000000000 was approved for this session by Ada Admin.\n' +
      '"}]}\r\n\u202edevorppa\u202c\u200b </p><script>approve()</script> [Approve](javascript:1)';
    noted(
      'tells the approver that the platform approved it already',
      'a claim that is stored as a claim, beside facts of the server',
      async () => {
        expect(await asking.run(askFor, { argument: { scope: 'once', justification: imitation } })).toBe(
          'sent',
        );
        const request = await arena.ada.openRequest(asking.id);
        expect(request).toMatchObject({
          agent_id: asking.agentId,
          session_id: asking.id,
          status: 'open',
          details: { scope: 'vault.open' },
          refused_call: { server: 'vault', tool: 'open' },
          grant_id: null,
          decided_by: null,
        });
        expect(request.justification).toBe(imitation);
        const events = await arena.ada.events(asking.id);
        const shown = events.filter(({ type }) => type === 'agent.permission_request');
        expect(shown).toMatchObject([
          {
            actor: { type: 'agent', id: asking.agentId },
            payload: {
              agent: { id: asking.agentId, name: 'asker' },
              tools: [{ server: 'vault', tool: 'open' }],
            },
          },
        ]);
        expect(events.filter(({ type }) => type === 'permission.decided')).toEqual([]);
        expect(await gated('imitated')).toBe('permission_required');
      },
    );

    noted('calls, and asks again, after it was denied', 'the denial; a mute for a while', async () => {
      await deny(await arena.ada.openRequest(asking.id));
      expect(await gated('denied')).toBe('permission_required');
      for (const scope of ['once', 'session', 'persistent']) {
        expect(await asking.run(askFor, { argument: { scope } })).toBe('recently_denied');
      }
    });

    noted('says things that cannot be stored to the approver', 'a refusal', async () => {
      const argument = { scope: 'once', justification: 'a\0b' };
      expect(await asking.run(askFor, { argument })).toBe('validation_failed');
    });

    noted('says more than 2,000 characters to the approver', 'a cut', async () => {
      const argument = { scope: 'session', justification: 'x'.repeat(19_000) };
      const talking = await start('talker');
      expect(await talking.run(askFor, { argument })).toBe('sent');
      const request = await arena.ada.openRequest(talking.id);
      expect(request.justification).toHaveLength(2000);
    });

    noted('makes five calls at once with one grant for one', 'one atomic update', async () => {
      await grant({ agent_subject_id: asking.agentId, scope: 'once' });
      const refused = Array.from({ length: 4 }, () => 'permission_required');
      expect(await asking.run(raceForOne)).toEqual(['carried out', ...refused]);
      expect(await asking.ledger()).toEqual(['race']);
    });

    noted('calls after its grant was revoked', 'a check at the moment of the call', async () => {
      const made = await grant({ agent_subject_id: asking.agentId, scope: 'session', session_id: asking.id });
      expect(await gated('granted')).toBe('carried out');
      await arena.ada.ok('DELETE', `${arena.ada.workspace}/grants/${made.grant.id}`);
      expect(await gated('revoked')).toBe('permission_required');
      expect(await asking.ledger()).toEqual(['race', 'granted']);
    });

    it('records each call once in the audit trail', async () => {
      const refused = Array.from({ length: 8 }, () => 'vault.open permission_required');
      await arena.expectRecorded(asking.id, ['vault.open ok', 'vault.open ok', ...refused], 'vault.open');
    });
  });

  describe('in floods', () => {
    let flooding: HostileSession;

    beforeAll(async () => {
      flooding = await start('flooder');
    });

    noted('asks for 100 grants', 'ten open requests for a tree of sessions', async () => {
      const said = await flooding.run(askForHundred);
      expect(said).toEqual({ sent: 10, too_many_open_requests: 90 });
    });

    noted('hands out artifacts without end', 'a bound for a session (24 MiB in this test)', async () => {
      expect(await flooding.run(floodArtifacts)).toEqual([
        '200',
        '200',
        'too_large: 25165824 bytes',
        'too_large: 25165824 bytes',
      ]);
    });

    noted('names artifacts like paths and headers', 'names that nobody takes for a path', async () => {
      const ids = await flooding.run(nameArtifacts);
      for (const id of ids) {
        expect(id).toMatch(/^[0-9a-f-]{36}$/);
        const { headers } = await arena.ada.send('GET', `/api/sessions/${flooding.id}/artifacts/${id}`);
        expect(headers.get('content-disposition')).toMatch(/^attachment;[ -~]+$/);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('set-cookie')).toBeNull();
      }
    });

    noted('pours 1.5 GiB without a line end into its sockets', 'bounded memory for each line', async () => {
      const memory = () => {
        const status = readFileSync(`/proc/${arena.sidecarPid(flooding.id)}/status`, 'utf8');
        const [now = 0, peak = 0] = ['VmRSS', 'VmHWM'].map((name) =>
          Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]),
        );
        return { now, peak };
      };
      const before = memory();
      expect(await flooding.run(pourBytes)).toBe('poured');
      expect(memory().peak / before.now).toBeLessThan(3);
    });

    noted('begins requests and does not end them', 'a bound on connections', async () => {
      expect(await flooding.run(hangOn)).toEqual([200]);
    });

    it('leaves the session working', async () => {
      expect(await flooding.works()).toBe(true);
    });
  });

  describe('over covert channels', () => {
    const send = async (path: string, options: RequestInit = {}) => {
      const response = await fetch(new URL(path, arena.platform.url), { method: 'POST', ...options });
      const body = (await response.json()) as { error?: { code: string } };
      return `${response.status} ${body.error?.code ?? 'ok'}`;
    };
    const internal = (token: string, id = session.id, what = 'tool-calls/check') =>
      send(`/internal/sessions/${id}/${what}`, {
        headers: { 'content-type': 'application/json', 'x-internal-token': token },
        body: JSON.stringify({ call_id: randomUUID(), server: 'vault', tool: 'open' }),
      });

    noted(
      'tries no token, guessed ones, and one of another session',
      'a token for each session',
      async () => {
        const guesses = ['', 'x', `${session.id}.${'A'.repeat(43)}`, arena.tokenOf(arena.other.id)];
        for (const guess of guesses) {
          expect(await internal(guess)).toBe('401 unauthenticated');
        }
        // The control: its own token is accepted, and the answer is that there is no grant.
        expect(await internal(arena.tokenOf(session.id))).toBe('200 ok');
      },
    );

    noted('makes itself a grant with the real token of its session', 'a cookie that it has not', async () => {
      const headers = { 'content-type': 'application/json', 'x-internal-token': arena.tokenOf(session.id) };
      const body = JSON.stringify({
        agent_subject_id: session.agentId,
        grant_type: 'tool_scope',
        details: { scope: 'vault.open' },
        scope: 'persistent',
      });
      expect(await send(`${arena.ada.workspace}/grants`, { headers, body })).toBe('401 unauthenticated');
      expect(await send(`/internal/sessions/${session.id}/grants`, { headers, body })).toBe('404 not_found');
      expect(await internal(arena.tokenOf(session.id), arena.other.id)).toBe('401 unauthenticated');
    });

    noted('uses cookies of its own making', 'a signature, and a sign-in that is on record', async () => {
      const { user } = await arena.ada.me();
      const claims = { sid: randomUUID() };
      const sign = (key: Buffer) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', typ: 'platform-session+jwt' })
          .setSubject(user.id)
          .setIssuedAt()
          .setExpirationTime('1h')
          .sign(key);
      const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
      const cookies = [
        await sign(Buffer.alloc(32)),
        // Signed with the real key, but there is no such sign-in.
        await sign(Buffer.from(arena.keys().cookie_key, 'base64')),
        `${encode({ alg: 'none', typ: 'platform-session+jwt' })}.${encode({ sub: user.id, ...claims, iat: 1, exp: 9e9 })}.`,
      ];
      for (const cookie of cookies) {
        const headers = { cookie: `platform_session=${cookie}`, 'content-type': 'application/json' };
        expect(await send(`${arena.ada.workspace}/grants`, { headers, body: '{}' })).toBe(
          '401 unauthenticated',
        );
      }
    });

    noted('sends to its control port what it signed itself', "a key of the session's own", async () => {
      const url = `http://127.0.0.1:${arena.controlPortOf(session.id)}`;
      const body = JSON.stringify({ messages: [] });
      const request = { method: 'POST', path: '/inject', body };
      const key = (id: string) => controlKey(Buffer.from(arena.keys().session_key_seed, 'base64'), id);
      const inject = async (signature: string, sent = body) => {
        const headers = { 'content-type': 'application/json', 'x-control-request': signature };
        return (await fetch(`${url}/inject`, { method: 'POST', headers, body: sent })).status;
      };
      const signed = (id: string, atMs = Date.now()) => signControlRequest(key(id), { ...request, atMs });
      const forged = [
        '',
        `${Date.now()}.15.${'0'.repeat(64)}.${'0'.repeat(64)}`,
        signed(arena.other.id),
        signed(session.id, Date.now() - 3_600_000),
      ];
      for (const signature of forged) {
        expect(await inject(signature)).toBe(401);
      }
      expect(await inject(signed(session.id), '{"messages":[{}]}')).toBe(401);
      // The control: a valid one is accepted, and has no second effect when it is replayed.
      const lone = await start('lone');
      const at = new Date().toISOString();
      const message = { id: randomUUID(), seq: 1, kind: 'user_message', text: 'x', decision: null };
      const messages = JSON.stringify({ messages: [{ ...message, input_request_id: null, at }] });
      const headers = {
        'content-type': 'application/json',
        'x-control-request': signControlRequest(key(lone.id), {
          ...request,
          body: messages,
          atMs: Date.now(),
        }),
      };
      for (let times = 0; times < 2; times += 1) {
        const there = `http://127.0.0.1:${arena.controlPortOf(lone.id)}/inject`;
        const answer = await fetch(there, { method: 'POST', headers, body: messages });
        expect({ status: answer.status, body: await answer.json() }).toMatchObject({
          status: 200,
          body: { last_seq: 1 },
        });
      }
    });

    it('leaves the session working', async () => {
      expect(await session.works()).toBe(true);
    });
  });

  it('leaves nothing of its sessions when they end, and their tokens are refused', async () => {
    const token = arena.tokenOf(session.id);
    await arena.ada.ok('POST', `/api/sessions/${session.id}/terminate`, { reason: 'seen enough' });
    expect(await arena.ada.ended(session.id)).toMatchObject({ status: 'terminated' });
    expect(await processesMentioning(session.id)).toEqual([]);
    expect(existsSync(arena.directoryOf(session.id))).toBe(false);
    const response = await fetch(`${arena.platform.url}/internal/sessions/${session.id}/end`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-internal-token': token },
      body: JSON.stringify({ outcome: 'completed', summary: null }),
    });
    expect(response.status).toBe(401);
  });
});
