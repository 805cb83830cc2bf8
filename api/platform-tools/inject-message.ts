import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import { messageText } from './message-fields.ts';
import { sendMessage } from './send-message.ts';
import { defineTool } from './tool.ts';

export const injectMessage = defineTool({
  name: 'inject_message',
  title: 'Send a message to a child session',
  annotations: adds,
  description:
    'Sends a message to the agent of a session that this one started. It arrives as a message of the kind "session_message" that names this session as its sender: it is never taken for the words of a person, and decides nothing. Put what you have to say into one message: a session sends only so many a minute.',
  input: z.strictObject({ session_id: uuid.describe('A child of this session'), text: messageText }),
  output: z.strictObject({ message_id: uuid }),
  example: {
    input: {
      session_id: '9d8c7b6a-5f4e-4d3c-8b2a-1f0e9d8c7b6a',
      text: 'Leave out tickets that were closed today.',
    },
    output: { message_id: '2b3c4d5e-6f7a-8b9c-8d0e-1f2a3b4c5d6e' },
  },
  run: ({ session_id, text }, caller, dependencies) =>
    sendMessage({ to: { childId: session_id }, text }, caller, dependencies),
});
