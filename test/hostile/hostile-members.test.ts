/** Members who abuse the public API, and another tenant, whose approvals work as before. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  frozenPatterns,
  patternFields,
  slowValue,
  unclosedClass,
  worstPatterns,
} from '../support/costly-patterns.ts';
import { FrontDoor } from '../support/front-door.ts';
import { withPlatformDatabase } from '../support/platform-database.ts';
import { describeWith } from '../support/sandbox-programs.ts';
import { Arena } from './arena.ts';
import { namesOfOps, postToEach } from './attempts/channels.ts';
import { callGatedOf } from './attempts/grants.ts';
import { deployEach, honestPreview, wrongPreviews } from './attempts/previews.ts';
import { agentProgram } from './inside/puppets.ts';
import { vaultServer } from './inside/vault.ts';
import { Neighbour } from './neighbour.ts';
import { HostileSession } from './session.ts';
import { AttemptTable } from './table.ts';

const table = new AttemptTable('Hostile members, at the front door');
const sessionsOfUser = 8;
const base = '/api/workspaces/demo';
/**
 * The requirement's only absolute figure. On a machine that is busy with other tests, the best
 * of three attempts counts.
 */
const healthMs = 200;
const attempts = 3;
/** How much longer an approval of another tenant may take meanwhile. */
const mostSlowdown = 6;

let arena: Arena;
let max: FrontDoor;
let neighbour: Neighbour;

const noted = (what: string, stoppedBy: string, check: () => Promise<void>) =>
  it(what, () => table.note({ what, by: 'member', stoppedBy }, check));

/** The median and the worst time of `/api/health` during the work, over at least twenty requests. */
async function healthDuring(work: Promise<unknown>): Promise<{ medianMs: number; worstMs: number }> {
  const tookMs: number[] = [];
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  while (!isOver || tookMs.length < 20) {
    const began = performance.now();
    await arena.ada.ok('GET', '/api/health');
    tookMs.push(performance.now() - began);
  }
  const sorted = tookMs.toSorted((left, right) => left - right);
  return { medianMs: sorted[Math.floor(sorted.length / 2)] ?? 0, worstMs: sorted.at(-1) ?? 0 };
}

describeWith('bwrap', 'slirp4netns')('hostile members', () => {
  beforeAll(async () => {
    arena = await Arena.open({ LIMIT_RUNNING_SESSIONS_PER_USER: String(sessionsOfUser) });
    max = await FrontDoor.signIn(arena.platform.url, 'max@demo.test');
    neighbour = await Neighbour.moveIn(arena);
  });
  afterAll(async () => {
    table.print();
    await arena.close();
  });

  describe('with regular expressions', () => {
    const shape = { type: 'command', command: 'mcp-server', args: [] };
    const manifest = (regexes: readonly string[], value?: string) => ({
      env: patternFields(regexes, value),
      tool_scopes: {},
    });
    const register = (name: string, given: object) =>
      arena.ada.send('POST', `${base}/mcp-servers`, { name, shape, manifest: given, network: 'none' });

    noted(
      'saves the worst expressions that are allowed, to hold up the API',
      'bounds, and a thread with a deadline',
      async () => {
        const seen: { quiet: Health; saving: Health }[] = [];
        let isQuick = false;
        for (let attempt = 0; attempt < attempts && !isQuick; attempt += 1) {
          const quiet = await healthDuring(Promise.resolve());
          const manifests = [1, 2, 3].map(() => manifest(worstPatterns(), slowValue));
          const saves = Promise.all(
            [manifest([unclosedClass]), ...manifests].map((given, at) =>
              register(`worst-${attempt}-${at}`, given),
            ),
          );
          const saving = await healthDuring(saves);
          expect((await saves).map(({ status }) => status)).toEqual([422, 422, 422, 422]);
          seen.push({ quiet, saving });
          isQuick = saving.medianMs < healthMs && saving.worstMs < Math.max(healthMs, 3 * quiet.worstMs);
        }
        process.stdout.write(`\nHealth beside the worst expressions: ${JSON.stringify(seen)}\n`);
        expect({ isQuick, seen }).toMatchObject({ isQuick: true });
      },
    );

    noted(
      'starts sessions with expressions from before there were bounds',
      'the same bounds at launch; the session fails with the name of the variable',
      async () => {
        const old = {
          'old-large': { regexes: frozenPatterns(12), why: 'cannot be checked' },
          'old-slow': { regexes: worstPatterns(), why: 'variable V' },
        };
        const agents: { id: string; why: string }[] = [];
        for (const [name, { regexes, why }] of Object.entries(old)) {
          expect((await register(name, manifest(['x+!?'], 'x'))).status).toBe(201);
          const { id } = await arena.ada.createAgent(name, [], { [name]: { V0: 'x' } });
          await withPlatformDatabase(arena.platform, async (db) => {
            await db('mcp_servers')
              .where({ name })
              .update({ manifest: JSON.stringify(manifest(regexes, slowValue)) });
            await db('agent_mcp_attachments')
              .where({ agent_id: id })
              .update({ env: JSON.stringify({ V0: slowValue }) });
          });
          agents.push({ id, why });
        }
        const before = await neighbour.approvalMs(0);
        const sessions = await Promise.all(
          agents.flatMap(({ id, why }) =>
            [1, 2].map(async () => ({ why, id: (await arena.ada.startSession(id)).id })),
          ),
        );
        const ends = Promise.all(
          sessions.map(async ({ id, why }) => ({ why, ended: await arena.ada.ended(id) })),
        );
        const [health, beside] = await Promise.all([healthDuring(ends), neighbour.approvalMs(0)]);
        const quietMs = Math.max(before.medianMs, (await neighbour.approvalMs(0)).medianMs);
        for (const { why, ended } of await ends) {
          expect(ended).toMatchObject({ status: 'failed', status_reason: expect.stringContaining(why) });
        }
        process.stdout.write(
          `\nBeside launches with old expressions: ${JSON.stringify({ health, beside, quietMs })}\n`,
        );
        expect(health.medianMs).toBeLessThan(healthMs);
        expect(beside.medianMs / quietMs).toBeLessThan(mostSlowdown);
      },
    );
  });

  noted(
    'plants a grant for a scope that no entry names yet',
    'the role of its maker, asked at the moment of use',
    async () => {
      const { user } = await max.me();
      const plant = (subject: object) =>
        max.ok('POST', `${base}/grants`, {
          ...subject,
          grant_type: 'tool_scope',
          details: { scope: 'later.open' },
          scope: 'persistent',
        });
      await plant({ user_subject_id: user.id });
      await arena.ada.ok('POST', `${base}/mcp-servers`, {
        name: 'later',
        shape: vaultServer,
        manifest: { tool_scopes: { open: 'later.open' } },
        approvers: 'admin',
        network: 'none',
      });
      const planted = await HostileSession.start(max, { name: 'planted', servers: ['later'] });
      const call = { argument: { server: 'later', mark: 'planted' } };
      expect(await planted.run(callGatedOf, call)).toBe('permission_required');
      // The control: an admin's grant lets the same call pass.
      await arena.ada.ok('POST', `${base}/grants`, {
        agent_subject_id: planted.agentId,
        grant_type: 'tool_scope',
        details: { scope: 'later.open' },
        scope: 'persistent',
      });
      expect(await planted.run(callGatedOf, call)).toBe('carried out');
    },
  );

  noted(
    'archives an agent and takes it back, to keep what an admin withdrew or never gave',
    'nothing comes back; archiving is its owner’s, deleting an admin’s',
    async () => {
      await arena.ada.ok('POST', `${base}/mcp-servers`, {
        ...{ name: 'shelf', shape: vaultServer, approvers: 'admin', network: 'none' },
        manifest: { tool_scopes: { open: 'shelf.open' } },
      });
      const own = await HostileSession.start(max, { name: 'shelved', servers: ['shelf'] });
      await arena.ada.ok('POST', `${base}/grants`, {
        ...{ agent_subject_id: own.agentId, grant_type: 'tool_scope', scope: 'persistent' },
        details: { scope: 'shelf.open' },
      });
      const call = { argument: { server: 'shelf', mark: 'shelved' } };
      expect(await own.run(callGatedOf, call)).toBe('carried out');
      const path = `/api/agents/${own.agentId}`;
      await max.ok('POST', `${path}/archive`, { running_sessions: 'let_finish' });
      expect(await own.run(callGatedOf, call)).toBe('permission_required');
      const start = { agent_id: own.agentId, prompt: 'go' };
      expect(await max.send('POST', `${base}/sessions`, start)).toMatchObject({ status: 422 });
      await max.ok('POST', `${path}/unarchive`, {});
      expect(await own.run(callGatedOf, call)).toBe('permission_required');
      // What would erase the evidence, and what is another's.
      expect(await max.send('DELETE', path)).toMatchObject({ status: 403 });
      const others = `/api/agents/${arena.other.agentId}/archive`;
      expect(await max.send('POST', others, { running_sessions: 'end' })).toMatchObject({ status: 403 });
    },
  );

  noted('starts more sessions than one user may run', 'a quota, counted as each is made', async () => {
    const nora = await FrontDoor.signIn(arena.platform.url, 'nora@demo.test');
    const own = '/api/workspaces/crowded';
    await nora.ok('POST', '/api/workspaces', { slug: 'crowded', name: 'Crowded' });
    const { agent } = await nora.ok<{ agent: { id: string } }>('POST', `${own}/agents`, {
      name: 'many',
      ...agentProgram,
    });
    const before = await neighbour.approvalMs(0);
    const start = () => nora.send('POST', `${own}/sessions`, { agent_id: agent.id, prompt: 'go' });
    const answers = await Promise.all(Array.from({ length: 3 * sessionsOfUser }, start));
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect({ made: count(201), refused: count(409) }).toEqual({
      made: sessionsOfUser,
      refused: 2 * sessionsOfUser,
    });
    // The sessions stay, so the best of a few rounds counts: other work on this machine comes and goes.
    let besideMs = Number.POSITIVE_INFINITY;
    for (let round = 0; round < attempts && besideMs / before.medianMs >= mostSlowdown; round += 1) {
      besideMs = Math.min(besideMs, (await neighbour.approvalMs(0)).medianMs);
    }
    expect(besideMs / before.medianMs).toBeLessThan(mostSlowdown);
  });

  describe('with previews', () => {
    const deploy = (each: readonly object[]) => arena.other.run(deployEach, { argument: each });

    it('leads files of a preview elsewhere, or sends what is no file', () =>
      table.note(
        { what: 'leads files of a preview elsewhere', by: 'agent', stoppedBy: 'its paths' },
        async () => {
          const said = await deploy(wrongPreviews);
          expect(said).toEqual(wrongPreviews.map(() => 'validation_failed'));
          // The control: what is wrong with them is what they add to this one.
          expect(await deploy([honestPreview])).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/)]);
        },
      ));

    noted(
      'reads, opens and ends a preview of another’s session',
      'the preview follows its session',
      async () => {
        const [id = ''] = await deploy([{ ...honestPreview, audience: 'session' }]);
        const path = `${base}/previews/${id}`;
        for (const attempt of [
          await max.send('GET', path),
          await max.send('GET', `${path}/open`),
          await max.send('DELETE', path),
        ]) {
          expect(attempt).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
          expect(attempt.headers.get('location')).toBeNull();
        }
        const { previews } = await max.ok<{ previews: object[] }>('GET', `${base}/previews`);
        expect(previews).not.toContainEqual(expect.objectContaining({ id }));
        expect(await max.leadsTo(`${path}/open`)).toBeNull();
        // The control: its operator is led to an address of its own.
        expect(await arena.ada.leadsTo(`${path}/open`)).toMatch(/^http:\/\/[0-9a-f]{40}\.localhost:\d+\/$/);
      },
    );
  });

  describe('with channels', () => {
    const address = `\${WEBHOOK}`;
    const setTo = (...agents: string[]) => arena.ada.ok('PUT', `${base}/channels/ops`, { address, agents });
    const listed = async () =>
      (await arena.ada.ok<{ channel: { agents: object[] } }>('GET', `${base}/channels/ops`)).channel.agents;
    const messages = async () =>
      (await arena.ada.ok<{ messages: object[] }>('GET', `${base}/channel-messages`)).messages;
    const refusal = expect.stringMatching(/^(not_allowed|validation_failed)$/);

    beforeAll(async () => {
      await arena.ada.ok('PUT', `${base}/secrets/WEBHOOK`, { value: 'https://127.0.0.1:9/hook' });
      await arena.ada.ok('POST', `${base}/channels`, { name: 'ops', address });
    });

    it('posts to a channel that does not list its agent', () =>
      table.note(
        { what: 'posts to a channel that does not list its agent', by: 'agent', stoppedBy: 'the list' },
        async () => {
          expect(await arena.other.run(postToEach, { argument: namesOfOps })).toEqual(
            namesOfOps.map(() => refusal),
          );
          expect(await messages()).toEqual([]);
          // The control: its name, once an admin lists it.
          await setTo(arena.other.agentId);
          expect(await arena.other.run(postToEach, { argument: ['ops'] })).toEqual([
            expect.stringMatching(/^[0-9a-f-]{36}$/),
          ]);
          expect(await messages()).toHaveLength(1);
        },
      ));

    noted('lists an agent, or leads a channel elsewhere', 'admins alone', async () => {
      for (const [method, path] of [
        ['PUT', 'channels/ops'],
        ['POST', 'channels/ops/test'],
        ['DELETE', 'channels/ops'],
        ['GET', 'channel-messages'],
      ] as const) {
        const attempt = await max.send(method, `${base}/${path}`, method === 'PUT' ? { address } : undefined);
        expect(attempt).toMatchObject({ status: 403 });
      }
    });

    noted('changes an agent that an admin has listed', 'it is taken off the list', async () => {
      const own = await HostileSession.start(max, { name: 'listed', servers: [] });
      await setTo(own.agentId);
      expect(await listed()).toHaveLength(1);
      await max.ok('PATCH', `/api/agents/${own.agentId}`, { name: 'Approved by Ada' });
      expect(await listed()).toEqual([]);
      expect(await own.run(postToEach, { argument: ['ops'] })).toEqual(['not_allowed']);
    });
  });

  it('leaves other sessions working', async () => {
    expect(await arena.other.works()).toBe(true);
  });
});

type Health = Awaited<ReturnType<typeof healthDuring>>;
