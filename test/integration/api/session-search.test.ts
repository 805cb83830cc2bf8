/**
 * Sessions are found by the beginnings of words, for three people: an admin, a member who operates sessions,
 * and another member. Each finds, also by count, what their list shows, and no search reads what another one
 * has.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSession } from '../../../commands/sessions/create.ts';
import type { Agent } from '../../../contract/agent.ts';
import type { WorkspaceHome } from '../../../contract/home.ts';
import type { Session } from '../../../contract/session.ts';
import type { Workspace } from '../../../contract/workspace.ts';
import { hasSqlState, sqlState } from '../../../store/database.ts';
import { listSessions } from '../../../store/sessions/list.ts';
import { searchBounds, sessionsByWords } from '../../../store/sessions/search.ts';
import type { Person } from '../../support/api.ts';
import { type SessionApi, startSessionApi } from '../../support/session-api.ts';

let api: SessionApi;
let workspace: Workspace;
let base: string;
let admin: Person;
let operator: Person;
let other: Person;
let agent: Agent;

const started = async (person: Person | null, prompt: string, more: object = {}): Promise<string> => {
  const userId = person?.user.id ?? null;
  const session = { id: randomUUID(), workspaceId: workspace.id, agentId: agent.id, parentSessionId: null };
  const by = { operatorId: userId, rootOperatorId: userId };
  const { id } = await createSession(api.db, { ...session, ...by, prompt });
  if (Object.keys(more).length > 0) {
    await api.db('sessions').where({ id }).update(more);
  }
  return id;
};

type Found = { sessions: Session[]; next_cursor: string | null };
const find = async (person: Person, text: string, more: Record<string, string> = {}): Promise<string[]> => {
  const query = new URLSearchParams({ search: text, limit: '200', ...more });
  const { sessions, next_cursor } = await person.ok<Found>('GET', `${base}/sessions?${query}`);
  expect(next_cursor).toBeNull();
  return sessions.map(({ id }) => id).sort();
};

beforeAll(async () => {
  api = await startSessionApi();
  ({ workspace, admin, member: operator, base } = await api.workspace());
  other = await api.person('Olga Other');
  await api.join(workspace, other, 'member');
  ({ agent } = await operator.ok<{ agent: Agent }>('POST', `${base}/agents`, {
    name: 'quill-Keeper',
    run: { type: 'builtin', name: 'scripted' },
    instructions: '{"steps":[]}',
  }));
});
afterAll(() => api.stop());

describe('a search of sessions', () => {
  it('finds for each person what their list shows, and no other, also by count', async () => {
    const own = await started(operator, '\n  Write the November release-report\nand more');
    const ofAdmin = await started(admin, 'Review the release');
    const shared = await started(admin, 'Relate both', { shared_with_workspace: true });
    const ofOther = await started(other, 'RELEASE now');
    await started(other, 'Nothing of that sort');
    const expected: [Person, string[]][] = [
      [admin, [own, ofAdmin, shared, ofOther]],
      [operator, [own, shared]],
      [other, [ofOther, shared]],
    ];
    for (const [person, ids] of expected) {
      expect(await find(person, 'rel')).toEqual(ids.sort());
      const { sessions } = await person.ok<Found>('GET', `${base}/sessions?limit=200`);
      // By the agent's name, which all of them have: what is found is what is listed.
      expect(await find(person, 'keep QUILL')).toEqual(sessions.map(({ id }) => id).sort());
      const { home } = await person.ok<{ home: WorkspaceHome }>('GET', `${base}/home`);
      expect(home.running.count).toBe(sessions.length);
    }
    expect(await find(operator, 'rel', { status: 'failed' })).toEqual([]);
  });

  it('takes every word, from its beginning, of a given name and of the first words alone', async () => {
    const renamed = await started(operator, 'Gather tickets', { title: 'Ärger: 100%_done\\' });
    const long = await started(operator, `Gather ${'x '.repeat(200)} unreachable`);
    expect(await find(operator, 'gath tick')).toEqual([renamed]);
    expect(await find(operator, 'gath')).toEqual([renamed, long].sort());
    expect(await find(operator, 'ather')).toEqual([]);
    expect(await find(operator, 'unreach')).toEqual([]);
    expect(await find(operator, 'Ärg')).toEqual([renamed]);
    expect(await find(operator, '100 done')).toEqual([renamed]);
  });

  it.each([`' | 'zq':*`, `a' & !'b`, '\\', ':*', '%', '& | ! ( )', 'zq" or 1=1 --', '\u{1f512}'])(
    'takes %j for text',
    async (text) => {
      expect(await find(operator, text)).toEqual([]);
    },
  );

  it('takes a single character for a whole word, and the longest of too many words', async () => {
    const rollout = await started(operator, 'Plan x rollout alpha bravo charlie delta foxtrot golfer');
    expect(await find(operator, 'x roll')).toEqual([rollout]);
    expect(await find(operator, 'r plan rollo')).toEqual([]);
    const eight = 'plan rollout alpha bravo charlie delta foxtrot golfer';
    expect(await find(operator, `${eight} zq`)).toEqual([rollout]);
    expect(await find(operator, `${eight} zqzqzq`)).toEqual([]);
  });

  it('ends once it has taken too long', async () => {
    await api.db.transaction(async (trx) => {
      await trx.raw('lock table sessions in access exclusive mode');
      const found = listSessions(api.db, workspace.id, { search: 'rel' }, { limit: 10 });
      const error = await found.catch((thrown: unknown) => thrown);
      expect(hasSqlState(error, sqlState.queryCanceled)).toBe(true);
    });
  });

  it('finds nothing of another workspace, by whatever is written', async () => {
    const { admin: stranger, base: elsewhere } = await api.workspace();
    for (const text of ['rel', `${workspace.id} rel`, workspace.id]) {
      const path = `${elsewhere}/sessions?${new URLSearchParams({ search: text })}`;
      expect((await stranger.ok<Found>('GET', path)).sessions).toEqual([]);
    }
    expect((await stranger.send('GET', `${base}/sessions?search=rel`)).status).toBe(404);
  });

  it('reads a bounded number of rows, by its index, among which others’ sessions take no place', async () => {
    await api.db.raw(
      `insert into sessions (id, workspace_id, agent_id, prompt)
       select gen_random_uuid(), ?, ?, 'bulk number ' || n from generate_series(1, 12000) n`,
      [workspace.id, agent.id],
    );
    const old = { created_at: '2020-01-01T00:00:00Z' };
    const mine = [await started(operator, 'Bulk of mine', old), await started(operator, 'Bulk, too', old)];
    await api.db.raw('analyze sessions');
    expect(await find(operator, 'bulk')).toEqual(mine.sort());
    type Plan = {
      'Node Type': string;
      'Index Name'?: string;
      'Actual Rows': number;
      'Actual Loops': number;
    } & {
      Plans?: Plan[];
    };
    const nodes = ({ Plans: below = [], ...node }: Plan): Plan[] => [node, ...below.flatMap(nodes)];
    const explained = await api.db.raw<{ rows: [{ 'QUERY PLAN': [{ Plan: Plan }] }] }>(
      'explain (analyze, format json) select id from sessions where id in ?',
      [sessionsByWords(api.db, { workspaceId: workspace.id, text: 'bulk' })],
    );
    const all = nodes(explained.rows[0]['QUERY PLAN'][0].Plan);
    expect(all.map((node) => node['Index Name'])).toContain('sessions_by_words');
    const heap = all.filter((node) => /^(Bitmap Heap|Index|Index Only|Seq) Scan$/.test(node['Node Type']));
    const rows = heap.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    expect(rows).toBeLessThan(2 * (searchBounds.newest + 2 * searchBounds.found));
  });
});
