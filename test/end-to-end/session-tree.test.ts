/**
 * A tree of sessions end to end: an agent is allowed to start others, which ask, are
 * answered, report and are read.
 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Agent } from '../../contract/agent.ts';
import type { AuditEvent, AuditEventName } from '../../contract/audit-event.ts';
import type { Grant } from '../../contract/grant.ts';
import type { PermissionRequest } from '../../contract/permission-request.ts';
import type { Session } from '../../contract/session.ts';
import type { SessionEvent, SessionEventType } from '../../contract/session-event.ts';
import { ask, say, write } from '../support/asking-steps.ts';
import { type DemoWorkspace, openDemoWorkspace } from '../support/demo-workspace.ts';
import { eventually, untilFound } from '../support/eventually.ts';
import type { FrontDoor } from '../support/front-door.ts';
import { processesMentioning } from '../support/processes.ts';
import {
  createOrchestrator,
  end,
  failToSpawn,
  getToSpawn,
  hear,
  readUntil,
  saved,
  sessionsBelow,
  spawn,
  tellCaller,
  tellChild,
} from '../support/tree-steps.ts';

const counting = [
  hear('session_message', 'count'),
  tellCaller('two'),
  hear('session_message', 'enough'),
  end('Counted.'),
];

const writing = [
  write('permission_required'),
  ask('session'),
  hear('permission_decision', 'was approved'),
  write(),
  tellCaller('it is written'),
  hear('session_message', 'thank you'),
  end('The note is written.'),
];

const leading = (counter: Agent, writer: Agent) => [
  failToSpawn(counter.id, 'permission_required'),
  ...getToSpawn(counter.id),
  ...getToSpawn(writer.id),
  failToSpawn('00000000-0000-4000-8000-000000000000', 'not_found'),
  spawn(counter.id, { saveAs: 'counter' }),
  tellChild(saved('counter'), 'count, please'),
  hear('session_message', 'two'),
  spawn(writer.id, { saveAs: 'writer' }),
  readUntil(saved('writer'), { path: 'waiting_for', equals: 'approval' }),
  say('The writer waits for a person'),
  hear('session_message', 'it is written'),
  tellChild(saved('writer'), 'thank you'),
  hear('child_ended', 'has ended as completed'),
  readUntil(
    saved('writer'),
    { path: 'status', equals: 'completed' },
    { save: { summary: 'outcome.summary', last: 'next_after' } },
  ),
  readUntil(saved('writer'), { path: 'events', equals: [] }, { after: saved('last') }),
  { call: 'platform.emit_status', arguments: { status: saved('summary') } },
  tellChild(saved('counter'), 'enough'),
  hear('child_ended', 'has ended as completed'),
  end('All done.'),
];

let demo: DemoWorkspace;
let ada: FrontDoor;
let max: FrontDoor;
let lead: { agent: Agent; session: Session };
let counter: { agent: Agent; session: Session; grant: Grant };
let writer: { agent: Agent; session: Session; grant: Grant };
let asked: { request: PermissionRequest; grant: Grant };

/** Runs the whole tree; each test below looks at a part of what it left. */
beforeAll(async () => {
  demo = await openDemoWorkspace();
  [ada, max] = [await demo.signIn('ada'), await demo.signIn('max')];
  const counterAgent = await max.createAgent('counter', counting, {});
  const writerAgent = await max.createAgent('writer', writing, { files: {} });
  const leadAgent = await createOrchestrator(max, 'lead', leading(counterAgent, writerAgent));
  const session = await max.startSession(leadAgent.id);
  const toCount = await max.approve(await max.openRequest(session.id));
  const toWrite = await max.approve(await max.openRequest(session.id));
  const [counterSession, writerSession] = await eventually(
    async () => {
      const children = await sessionsBelow(max, session.id);
      expect(children).toHaveLength(2);
      return children as [Session, Session];
    },
    { withinMs: 180_000 },
  );
  const request = await max.openRequest(writerSession.id);
  await untilFound('a parent that has seen what its child waits for', async () =>
    (await max.events(session.id)).find(
      ({ payload }) => payload['status'] === 'The writer waits for a person',
    ),
  );
  asked = { request, grant: await max.approve(request) };
  lead = { agent: leadAgent, session: await max.ended(session.id) };
  counter = { agent: counterAgent, session: await max.ended(counterSession.id), grant: toCount };
  writer = { agent: writerAgent, session: await max.ended(writerSession.id), grant: toWrite };
});
afterAll(() => demo?.close());

const audited = async (event: AuditEventName, sessionId: string) => {
  const path = `${ada.workspace}/audit-events?event=${event}&limit=200`;
  const { audit_events } = await ada.ok<{ audit_events: AuditEvent[] }>('GET', path);
  return audit_events.filter(({ session_id }) => session_id === sessionId);
};
const payloadsOf = (events: readonly SessionEvent[], type: SessionEventType) =>
  events.filter((event) => event.type === type).map(({ payload }) => payload);

it('ends every session as its agent asked, with the last step of each done', () => {
  expect(lead.session).toMatchObject({ status: 'completed', outcome: { summary: 'All done.' } });
  expect(counter.session).toMatchObject({ status: 'completed', outcome: { summary: 'Counted.' } });
  expect(writer.session).toMatchObject({ status: 'completed', outcome: { summary: 'The note is written.' } });
});

it('has children that nobody drives, below the person at the root', async () => {
  const { user } = await max.me();
  for (const { session } of [counter, writer]) {
    expect(session).toMatchObject({
      parent_session_id: lead.session.id,
      operator_id: null,
      root_operator_id: user.id,
    });
  }
});

describe('the person at the root', () => {
  it('decides on what a child asks for, which its parent’s transcript says, too', async () => {
    expect(asked.request).toMatchObject({ agent_id: writer.agent.id, session_id: writer.session.id });
    expect(asked.grant).toMatchObject({ agent_subject_id: writer.agent.id, session_id: writer.session.id });
    const shown = payloadsOf(await max.events(lead.session.id), 'agent.permission_request');
    expect(shown).toContainEqual(
      expect.objectContaining({ request_id: asked.request.id, session_id: writer.session.id }),
    );
  });

  it('lets the child alone call what was granted: its call names the child’s own grant', async () => {
    const calls = (await ada.toolCalls(writer.session.id)).filter(({ data }) => data['name'] === 'files');
    expect(calls.map(({ data }) => [data['outcome'], data['granted_via']])).toEqual([
      ['permission_required', null],
      ['ok', asked.grant.id],
    ]);
  });
});

describe('the transcript of the parent', () => {
  it('has the start and the end of each child', async () => {
    const events = await max.events(lead.session.id);
    expect(payloadsOf(events, 'child.started')).toEqual([
      { session_id: counter.session.id, agent_id: counter.agent.id, label: 'counter' },
      { session_id: writer.session.id, agent_id: writer.agent.id, label: 'writer' },
    ]);
    const ended = payloadsOf(events, 'child.ended');
    expect(ended.map(({ session_id, status }) => [session_id, status])).toEqual([
      [writer.session.id, 'completed'],
      [counter.session.id, 'completed'],
    ]);
  });

  it('has what it said and heard, and what it read of a child', async () => {
    const events = await max.events(lead.session.id);
    const messages = payloadsOf(events, 'session.message');
    expect(messages.map(({ direction, relation, text }) => [direction, relation, text])).toEqual([
      ['sent', 'child', 'count, please'],
      ['received', 'child', 'two'],
      ['received', 'child', 'it is written'],
      ['sent', 'child', 'thank you'],
      ['sent', 'child', 'enough'],
    ]);
    expect(payloadsOf(events, 'agent.status')).toContainEqual({
      status: 'The note is written.',
      detail: null,
    });
  });
});

it('has each message in the transcript of the child, too, with its sender', async () => {
  const messages = payloadsOf(await max.events(writer.session.id), 'session.message');
  const common = { relation: 'parent', session_id: lead.session.id };
  expect(messages).toEqual([
    expect.objectContaining({ ...common, direction: 'sent', text: 'it is written' }),
    expect.objectContaining({
      ...{ ...common, direction: 'received', text: 'thank you' },
      agent: { id: lead.agent.id, name: 'lead' },
    }),
  ]);
});

describe('the audit trail', () => {
  it('names the grant that each child was started under', async () => {
    for (const { session, grant, agent } of [counter, writer]) {
      expect(await audited('session.created', session.id)).toMatchObject([
        {
          actor: { type: 'agent', id: lead.agent.id },
          data: { agent_id: agent.id, parent_session_id: lead.session.id, granted_via: grant.id },
        },
      ]);
    }
  });

  it('has one use of each spawn grant, by the parent', async () => {
    for (const { grant } of [counter, writer]) {
      const { uses } = await max.ok<{ uses: unknown[] }>('GET', `${max.workspace}/grants/${grant.id}/uses`);
      expect(uses).toMatchObject([
        { session_id: lead.session.id, server: 'platform', tool: 'spawn_session' },
      ]);
    }
  });

  it('has one end of each session', async () => {
    for (const { session, agent } of [lead, counter, writer]) {
      expect(await audited('session.ended', session.id)).toMatchObject([
        { actor: { type: 'agent', id: agent.id }, data: { status: 'completed' } },
      ]);
    }
  });

  it('has that messages were sent, and not their text', async () => {
    const posted = [
      ...(await audited('session.message.posted', lead.session.id)),
      ...(await audited('session.message.posted', writer.session.id)),
    ];
    expect(posted).toHaveLength(4);
    expect(JSON.stringify(posted)).not.toMatch(/count, please|thank you|it is written/);
  });
});

it('leaves nothing running', async () => {
  for (const { session } of [lead, counter, writer]) {
    await eventually(async () => expect(await processesMentioning(session.id)).toEqual([]));
  }
});
