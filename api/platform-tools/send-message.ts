/** A message to the session above or below: what inject_message and message_caller share. */
import { sendBetweenSessions } from '../../commands/session-inputs/messages.ts';
import { announceInput } from '../sessions/announce-input.ts';
import { messageLimitsOf } from './message-fields.ts';
import { type ToolCall, type ToolDependencies, ToolFailure } from './tool.ts';

/** Throws ToolFailure, and QuotaExceededError. */
export async function sendMessage(
  { to, text }: { to: { childId: string } | { parentId: string }; text: string },
  caller: ToolCall,
  dependencies: ToolDependencies,
): Promise<{ message_id: string }> {
  const relation = 'childId' in to ? 'child' : 'parent';
  const receiverId = 'childId' in to ? to.childId : to.parentId;
  const sent = await sendBetweenSessions(
    dependencies.db,
    { callId: caller.call_id, senderId: caller.id, receiverId, relation, text },
    messageLimitsOf(dependencies),
  );
  switch (sent.result) {
    case 'unrelated':
      throw new ToolFailure(
        'not_found',
        'childId' in to
          ? 'session_id: this session has started no such session'
          : 'The session that started this one is gone',
      );
    case 'sender_ended':
      throw new ToolFailure('not_allowed', 'The session has ended, so nothing can be sent from it');
    case 'receiver_ended':
      throw new ToolFailure(
        'not_allowed',
        'That session has ended: nobody would read it, and nothing can be sent to it',
      );
    case 'sent':
      await announceInput(dependencies, { sessionId: receiverId, messageId: sent.messageId });
      return { message_id: sent.messageId };
  }
}
