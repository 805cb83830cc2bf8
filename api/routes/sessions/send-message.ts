import { randomUUID } from 'node:crypto';
import { addMessage } from '../../../commands/session-inputs/add-message.ts';
import type { InputMessage } from '../../../contract/agent-contract.ts';
import type { Session } from '../../../contract/session.ts';
import type { User } from '../../../contract/workspace.ts';
import { announceInput } from '../../sessions/announce-input.ts';
import type { SessionRouteDependencies } from '../session-dependencies.ts';

/**
 * Stores a message for the agent with its event, then triggers its delivery. When Temporal is unavailable, the message
 * stays stored and goes with the next delivery. Throws QuotaExceededError while too much is undelivered.
 */
export async function sendMessage(
  { config, ...dependencies }: Pick<SessionRouteDependencies, 'db' | 'config' | 'workflows' | 'log'>,
  { session, user, text }: { session: Session; user: User; text: string },
): Promise<InputMessage> {
  const message = await addMessage(dependencies.db, session.id, {
    id: randomUUID(),
    userId: user.id,
    text,
    limitBytes: config.LIMIT_UNDELIVERED_MESSAGE_BYTES,
  });
  await announceInput(dependencies, { sessionId: session.id, messageId: message.id });
  return message;
}
