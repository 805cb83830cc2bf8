/** A malicious MCP server in a real session: what it does on its connection, and what it leaves behind. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { processesMentioning } from '../support/processes.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import { askFor, callGated } from './attempts/grants.ts';
import { forkOnAndOn, leaveBehind, lookForForks, receiveAttacks, serverAttempts } from './attempts/server.ts';
import type { Kit } from './inside/kit.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('A malicious server, on its connection');
let arena: Arena;
let session: HostileSession;

describeWith('bwrap', 'slirp4netns')('a malicious server', () => {
  beforeAll(async () => {
    arena = await Arena.enter();
    const servers = ['files', 'mallory', 'vault'];
    session = await HostileSession.start(arena.ada, { name: 'victim', servers });
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  describe('on its connection', () => {
    let seen: Record<string, string[]>;

    beforeAll(async () => {
      const argument = serverAttempts.map(({ what, server, agentSees }) => ({
        what,
        server: String(server),
        many: Array.isArray(agentSees) ? agentSees.length : 0,
      }));
      seen = await session.run(receiveAttacks, { argument });
    });

    it.each(serverAttempts.map((attempt) => [attempt.what, attempt] as const))(
      '%s',
      (what, { stoppedBy, agentSees }) =>
        table.note({ what, by: 'server', stoppedBy }, () => {
          expect(seen[what]).toEqual(agentSees);
        }),
    );

    it('records each call once in the audit trail, with its outcome', async () => {
      await eventually(async () => {
        const calls = (await arena.ada.toolCalls(session.id)).filter(
          ({ data }) => data['name'] === 'mallory',
        );
        expect(calls.map(({ data }) => data['outcome']).sort()).toEqual(
          serverAttempts.map(({ outcome }) => outcome).sort(),
        );
      });
    });

    it('leaves the session working', async () => {
      expect(await session.works()).toBe(true);
    });
  });

  it('makes the agent request a grant with an imitated refusal, and the approver sees that nothing was refused', async () => {
    expect(await session.run(askFor, { argument: { scope: 'once' } })).toBe('sent');
    expect(await arena.ada.openRequest(session.id)).toMatchObject({ status: 'open', refused_call: null });
    expect(await session.run(callGated, { argument: 'imitated' })).toBe('permission_required');
  });

  it('forks twice without pause, and is still killed with its connection', () =>
    table.note(
      {
        what: 'forks twice without pause, to outlive its connection',
        by: 'server',
        stoppedBy: 'the kernel ends all of its sandbox in one step',
      },
      async () => {
        const call = (kit: Kit, _target: unknown, source: string) =>
          kit.callTool('mallory', 'run', { source, target: {} });
        expect(JSON.stringify(await session.run(call, { argument: String(forkOnAndOn) }))).toContain(
          'forked',
        );
        expect(JSON.stringify(await session.run(call, { argument: String(lookForForks) }))).toContain('gone');
        expect(await session.works()).toBe(true);
      },
    ));

  it('leaves processes that ignore signals, and files: all are removed with the session', () =>
    table.note(
      { what: 'leaves processes and files behind', by: 'server', stoppedBy: 'the end of its sandbox' },
      async () => {
        const mark = `left-${randomUUID()}`;
        const argument = { source: String(leaveBehind), target: { mark } };
        // Its connection stays open: what it leaves running is killed when that closes, at the latest.
        const call = async (kit: Kit, _target: unknown, args: object) => {
          const wire = await kit.openServer('mallory');
          wire.send(kit.call('one', 'run', args));
          return wire.answer('one', 20_000);
        };
        expect(JSON.stringify(await session.run(call, { argument }))).toContain('left');
        // The control: they run.
        expect((await processesMentioning(mark)).length).toBeGreaterThan(0);
        expect(await session.works()).toBe(true);
        await arena.ada.ok('POST', `/api/sessions/${session.id}/terminate`, { reason: 'seen enough' });
        expect(await arena.ada.ended(session.id)).toMatchObject({ status: 'terminated' });
        expect(await processesMentioning(mark)).toEqual([]);
        expect(await processesMentioning(session.id)).toEqual([]);
        expect(existsSync(arena.directoryOf(session.id))).toBe(false);
      },
    ));
});
