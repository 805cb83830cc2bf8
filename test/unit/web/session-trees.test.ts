import { describe, expect, it } from '@jest/globals';
import type { Session, SessionEvent } from '../../../web/src/api/types.ts';
import { auditOfTreePath } from '../../../web/src/app/paths.ts';
import { readFilter } from '../../../web/src/pages/audit/audit-filter.ts';
import { readEvent } from '../../../web/src/pages/sessions/session-event-type.ts';
import {
  awaitedPerson,
  countRunningBelow,
  endsTooText,
  sessionTree,
} from '../../../web/src/pages/sessions/session-tree.ts';
import { speakerOf } from '../../../web/src/pages/sessions/speaker.ts';

const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const second = (at: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, 0) + at * 1000).toISOString();

const session = (number: number, parent: number, status: Session['status'] = 'running') =>
  ({ id: id(number), parent_session_id: id(parent), status, created_at: second(number) }) as Session;

describe('a tree of sessions', () => {
  it('has sessions below their parents, and loses none whose parent is not known', () => {
    const tree = sessionTree(id(0), [session(4, 99), session(3, 1), session(2, 0), session(1, 0)]);
    expect(tree.map((node) => node.session.id)).toEqual([id(1), id(2), id(4)]);
    expect(tree[0]?.children.map((node) => node.session.id)).toEqual([id(3)]);
  });

  it('counts what would end with a session: those below it that have not ended, at any depth', () => {
    const sessions = [session(1, 0), session(2, 1, 'completed'), session(3, 1, 'pending'), session(4, 3)];
    expect(countRunningBelow(id(0), sessions)).toBe(3);
    expect(countRunningBelow(id(1), sessions)).toBe(2);
    expect(countRunningBelow(id(4), sessions)).toBe(0);
  });

  it('says how many sessions end, too', () => {
    expect(endsTooText({ count: 1, isPart: false })).toBe('The 1 running session that it started ends, too.');
    expect(endsTooText({ count: 2, isPart: false })).toBe('The 2 running sessions below it end, too.');
    expect(endsTooText({ count: 1, isPart: true })).toBe('The 1 or more running sessions below it end, too.');
  });

  it('says whom a session waits for: a request of a session that nobody drives, the person at its root', () => {
    const [ada, max] = [
      { id: id(1), name: 'Ada' },
      { id: id(2), name: 'Max' },
    ];
    const child = { operator: null, root_operator: max };
    expect(awaitedPerson({ ...child, waiting_for: 'approval' }, max.id)).toBe('you');
    expect(awaitedPerson({ ...child, waiting_for: 'approval' }, ada.id)).toBe('Max');
    expect(awaitedPerson({ ...child, waiting_for: 'answer' }, max.id)).toBeNull();
    expect(awaitedPerson({ ...child, waiting_for: null }, max.id)).toBeNull();
    expect(awaitedPerson({ operator: ada, root_operator: ada, waiting_for: 'sign_in' }, max.id)).toBe('Ada');
    const nobody = { operator: null, root_operator: null };
    expect(awaitedPerson({ ...nobody, waiting_for: 'approval' }, max.id)).toBe(
      'a workspace admin or the owner of its agent',
    );
  });
});

describe('the speaker of an entry', () => {
  const event = (
    type: SessionEvent['type'],
    actor: SessionEvent['actor'],
    payload: Record<string, unknown> = {},
  ) => readEvent({ id: id(9), seq: 1, session_id: id(0), type, at: second(1), actor, payload });
  const agent = { type: 'agent', id: id(5) } as const;
  const reader = { id: id(5), name: 'reader' };
  const message = (direction: string) => ({
    ...{ message_id: id(8), direction, relation: 'child', session_id: id(1), agent: reader, text: 'Hi' },
  });

  it('is the other agent for a message that it sent, and the own agent for one that it was sent', () => {
    const received = event('session.message', agent, message('received'));
    expect(speakerOf(received, id(0))).toEqual({ kind: 'other-agent', name: 'reader' });
    expect(speakerOf(event('session.message', agent, message('sent')), id(0))).toEqual({ kind: 'agent' });
  });

  it('is the agent that asks, which may be that of a session below', () => {
    const asked = event('agent.permission_request', agent, {
      ...{ request_id: id(7), grant_type: 'tool_scope', details: { scope: 'a.b' }, scope: 'once' },
      ...{ justification: '', agent: reader, session_id: id(1), tools: [] },
      ...{ more_tools: 0, expires_at: second(9) },
    });
    expect(speakerOf(asked, id(0))).toEqual({ kind: 'other-agent', name: 'reader' });
    expect(speakerOf(asked, id(1))).toEqual({ kind: 'agent' });
  });

  it('is a person only for what a person wrote', () => {
    const user = { type: 'user', id: id(3) } as const;
    expect(speakerOf(event('user.message', user, { text: 'Hi' }), id(0))).toEqual({
      kind: 'person',
      userId: id(3),
    });
    const system = { type: 'system', id: null } as const;
    expect(speakerOf(event('child.ended', system), id(0))).toEqual({ kind: 'platform' });
  });
});

it('has an audit trail of its own, whose address the page of the audit trail reads', () => {
  const address = new URL(`http://x${auditOfTreePath('demo', id(1))}`);
  expect(address.pathname).toBe('/demo/audit');
  expect(readFilter(address.searchParams)).toEqual({ tree: id(1) });
});
