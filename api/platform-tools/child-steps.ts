/**
 * Pure: what an agent does next about sessions of other agents, in the answer that it reads at that moment. A
 * model that is not told asks or reads again at once.
 */
import { askOnce } from '../../contract/how-to-ask.ts';
import { isTerminal, type Session, type SessionWait } from '../../contract/session.ts';

/** Of `read_child_output`; shorter than a sidecar waits for an answer. */
export const longestWaitSeconds = 20;

export const askToSpawn = (childAgentId: string) =>
  askOnce({ grant_type: 'spawn', details: { child_agent_id: childAgentId }, scope: 'session' });

/** Of the list of agents that may be started. */
export const afterList = (count: number) =>
  count > 0
    ? 'Call spawn_session of the platform server with the agent_id of one that is available.'
    : `No person has allowed this agent to start another one. ${askToSpawn('<agent_id>')} Put the id of the agent that you were told to start in the place of <agent_id>; without one do not list again, but say that you need one.`;

const read = (input: { session_id: string; after?: number }) =>
  `Call read_child_output of the platform server with ${JSON.stringify({ ...input, wait_seconds: longestWaitSeconds })}`;
const orRest = 'or do other work, or end your turn: a message says when it has ended.';

export const afterSpawn = (id: string) => `${read({ session_id: id })} to follow it, ${orRest}`;

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
export function afterRead({ child, waitingFor, hasEvents, nextAfter, isCrowded }: ReadChild): string {
  const readOn = read({ session_id: child.id, after: nextAfter });
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
