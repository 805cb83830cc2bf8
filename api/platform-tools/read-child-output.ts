import * as z from 'zod';
import { maxStoredInteger, timestamp, uuid } from '../../contract/names.ts';
import { reads } from '../../contract/platform-tools.ts';
import {
  isTerminal,
  type Session,
  type SessionWait,
  sessionOutcome,
  sessionStatus,
  sessionWait,
} from '../../contract/session.ts';
import { type SessionEvent, type SessionEventType, sessionEventType } from '../../contract/session-event.ts';
import type { Db } from '../../store/database.ts';
import { listSessionEvents } from '../../store/session-events/list.ts';
import { readSessionContexts } from '../../store/sessions/context.ts';
import { readChild } from '../../store/sessions/tree.ts';
import { defineTool, maxAnswerBytes, ToolFailure } from './tool.ts';

/** Shorter than a sidecar waits for an answer. */
const longestWaitSeconds = 20;
const maxEvents = 100;
/** What surrounds the events in the answer fits in the rest. */
const maxEventsBytes = maxAnswerBytes - 64 * 1024;

/**
 * What a child shows its parent: what its agent published. Why it failed, and what
 * people decided, is for people.
 */
const shownTypes: ReadonlySet<SessionEventType> = new Set([
  'agent.message',
  'agent.status',
  'agent.error',
  'agent.artifact',
  'session.message',
] as const);

const shownEvent = z.strictObject({
  seq: z.int(),
  type: sessionEventType,
  at: timestamp,
  payload: z.record(z.string(), z.unknown()).describe('{"omitted_bytes": n} of an event that is too large'),
});

export const readChildOutput = defineTool({
  name: 'read_child_output',
  title: 'Read what a child session has published',
  annotations: reads,
  description:
    'Reads what the agent of a session that this one started has published, in order, and how the session is doing. With wait_seconds it waits for something new, or for its end: read with wait_seconds 20, not again and again without, and do what next_step says. Pass next_after as after to go on. A child that waits for a person, as waiting_for says, goes on by itself when they have answered. When status is completed, failed or terminated and there are no more events, it is over: outcome is what its agent said of it. Why a session failed is shown to people on its page.',
  waits: true,
  input: z.strictObject({
    session_id: uuid.describe('A child of this session'),
    after: z.int().min(0).max(maxStoredInteger).default(0).describe('next_after of an earlier answer'),
    wait_seconds: z.int().min(0).max(longestWaitSeconds).default(0),
  }),
  output: z.strictObject({
    status: sessionStatus,
    waiting_for: sessionWait.nullable(),
    outcome: sessionOutcome.nullable(),
    events: z.array(shownEvent),
    next_after: z.int(),
    next_step: z.string().describe('What to do now'),
  }),
  example: {
    input: { session_id: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a', after: 3, wait_seconds: 20 },
    output: {
      ...{ status: 'running' as const, waiting_for: null, outcome: null, next_after: 4 },
      next_step:
        'Call read_child_output of the platform server with {"session_id":"9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a","after":4,"wait_seconds":20}, or do other work, or end your turn: a message says when it has ended.',
      events: [
        {
          ...{ seq: 4, type: 'agent.status' as const, at: '2026-03-01T12:00:00.000Z' },
          payload: { status: 'Reading tickets', detail: null },
        },
      ],
    },
  },
  async run({ session_id: id, after, wait_seconds }, caller, { db, childWaits, runExclusive }) {
    // One look of a workspace at a time: it may read a page of events that nobody is shown.
    const look = (position: number) =>
      runExclusive(`child output ${caller.workspace_id}`, async () => {
        // Its state first: what it published before its end is read then, too.
        const child = await requireChild(db, caller.id, id);
        return { child, ...(await readShown(db, id, position)) };
      });
    const wait = childWaits.begin({ sessionId: caller.id, watchedId: id, seconds: wait_seconds });
    try {
      let position = after;
      while (true) {
        const { child, events, nextAfter } = await look(position);
        position = nextAfter;
        if (events.length > 0 || isTerminal(child.status) || !(await wait.untilWoken())) {
          const waitingFor = (await readSessionContexts(db, [id])).get(id)?.waitingFor ?? null;
          const { status, outcome } = child;
          const next_step = afterRead({
            ...{ child, waitingFor, hasEvents: events.length > 0, nextAfter: position },
            isCrowded: wait.isCrowded,
          });
          return { status, waiting_for: waitingFor, outcome, events, next_after: position, next_step };
        }
      }
    } finally {
      wait.end();
    }
  },
});

async function requireChild(db: Db, parentId: string, id: string): Promise<Session> {
  const child = await readChild(db, parentId, id);
  if (child === null) {
    throw new ToolFailure('not_found', 'session_id: this session has started no such session');
  }
  return child;
}

type ShownEvent = z.input<typeof shownEvent>;

/** The next events that are shown, as many as an answer holds, and where to go on; none only at the end. */
async function readShown(
  db: Db,
  sessionId: string,
  after: number,
): Promise<{ events: ShownEvent[]; nextAfter: number }> {
  const events: ShownEvent[] = [];
  let [nextAfter, sizeBytes] = [after, 0];
  while (events.length === 0) {
    const page = await listSessionEvents(db, sessionId, { after: nextAfter, limit: maxEvents });
    for (const event of page) {
      const shown = shownTypes.has(event.type) ? present(event) : null;
      sizeBytes += shown === null ? 0 : bytesOf(shown);
      if (sizeBytes > maxEventsBytes) {
        return { events, nextAfter };
      }
      events.push(...(shown === null ? [] : [shown]));
      nextAfter = event.seq;
    }
    if (page.length === 0) {
      break;
    }
  }
  return { events, nextAfter };
}

/** One event alone fits in an answer. */
function present({ seq, type, at, payload }: SessionEvent): ShownEvent {
  const sizeBytes = bytesOf(payload);
  return { seq, type, at, payload: sizeBytes < maxEventsBytes / 2 ? payload : { omitted_bytes: sizeBytes } };
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** What an agent does next; a model that is not told reads again at once. */
export const callToRead = (input: { session_id: string; after?: number }) =>
  `Call read_child_output of the platform server with ${JSON.stringify({ ...input, wait_seconds: longestWaitSeconds })}`;
export const orRest = 'or do other work, or end your turn: a message says when it has ended.';

interface ReadChild {
  child: Pick<Session, 'id' | 'status'>;
  waitingFor: SessionWait | null;
  /** Whether this answer has events. */
  hasEvents: boolean;
  nextAfter: number;
  /** Whether this call was refused to wait: as many wait as may. */
  isCrowded: boolean;
}

/** Of what a child published. */
function afterRead({ child, waitingFor, hasEvents, nextAfter, isCrowded }: ReadChild): string {
  const readOn = callToRead({ session_id: child.id, after: nextAfter });
  if (isTerminal(child.status)) {
    return hasEvents ? `It has ended. ${readOn}: it is over when events is empty.` : afterEnd(child.status);
  }
  if (hasEvents) {
    return `${readOn}, ${orRest}`;
  }
  if (isCrowded) {
    return `As many calls of this session wait as may. Do not call read_child_output again before one of them has returned: do other work, or end your turn. A message says when it has ended.`;
  }
  return waitingFor === null
    ? `Nothing is new yet. ${readOn}, ${orRest}`
    : 'It waits for a person, who may take long, and goes on by itself. Do not read it again meanwhile: do other work, or end your turn. A message says when it has ended.';
}

const afterEnd = (status: Session['status']) =>
  status === 'completed'
    ? 'It is over: do not read it again. Go on with what you know.'
    : 'It is over and did not complete its work: do not read it again. Continue without its result, or say what you cannot do.';
