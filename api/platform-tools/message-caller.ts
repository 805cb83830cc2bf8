import * as z from 'zod';
import { postMessage } from '../../commands/channel-messages/messages.ts';
import { uuid } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import { readParentId } from '../../store/sessions/tree.ts';
import { messageLimitsOf, messageText } from './message-fields.ts';
import { sendMessage } from './send-message.ts';
import { defineTool, ToolFailure } from './tool.ts';

export const messageCaller = defineTool({
  name: 'message_caller',
  title: 'Send a message to whoever started this session',
  annotations: adds,
  description:
    'Sends a message to the agent of the session that started this one; in a session that no other session started, to its people, in its conversation. Use it for results and questions, all in one message: a session sends only so many a minute. An answer arrives as a message; do not ask again meanwhile.',
  input: z.strictObject({ text: messageText }),
  output: z.strictObject({ message_id: uuid }),
  example: {
    input: { text: 'Seven tickets are open; the summary is in the artifact summary.md.' },
    output: { message_id: '2b3c4d5e-6f7a-8b9c-8d0e-1f2a3b4c5d6e' },
  },
  async run({ text }, caller, dependencies) {
    const { db } = dependencies;
    const parentId = await readParentId(db, caller.id);
    if (parentId !== null) {
      return sendMessage({ to: { parentId }, text }, caller, dependencies);
    }
    const message = { callId: caller.call_id, text, channel: null };
    const posted = await postMessage(db, caller, message, messageLimitsOf(dependencies));
    if (posted.result !== 'posted') {
      throw new ToolFailure('not_allowed', 'The session has ended, so nothing can be sent from it');
    }
    return { message_id: posted.messageId };
  },
});
