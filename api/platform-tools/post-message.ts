import * as z from 'zod';
import { postMessage as post } from '../../commands/channel-messages/messages.ts';
import { givenChannelName } from '../../contract/channel.ts';
import { uuid } from '../../contract/names.ts';
import { adds } from '../../contract/platform-tools.ts';
import { listChannelNamesOfAgent } from '../../store/channels/channels.ts';
import { beginDeliveries } from '../channels/begin-deliveries.ts';
import { messageLimitsOf, messageText } from './message-fields.ts';
import { defineTool, type ToolCaller, type ToolDependencies, ToolFailure } from './tool.ts';

export const postMessage = defineTool({
  name: 'post_message',
  title: 'Post a message to people',
  // A channel is a chat beyond the platform.
  annotations: { ...adds, openWorldHint: true },
  description:
    'Posts a message to the people of this session, or to a channel of the workspace where an admin lists this agent. A channel shows plain text: nobody is mentioned and no link can be followed, and each message begins with the name of the agent and the id of the session. A message to a channel is delivered later, and tried again for a while; whether it was delivered is shown to admins.',
  input: z.strictObject({
    text: messageText,
    channel: givenChannelName
      .optional()
      .describe('The name of a channel; without it the message is in the conversation of the session'),
  }),
  output: z.strictObject({ message_id: uuid }),
  example: {
    input: { text: 'The nightly report is ready: 3 of 120 checks failed.', channel: 'reports' },
    output: { message_id: '2b3c4d5e-6f7a-8b9c-8d0e-1f2a3b4c5d6e' },
  },
  async run({ text, channel = null }, caller, dependencies) {
    const message = { callId: caller.call_id, text, channel };
    const posted = await post(dependencies.db, caller, message, messageLimitsOf(dependencies));
    switch (posted.result) {
      case 'not_allowed':
        throw await notAllowed(caller, dependencies);
      case 'session_ended':
        throw new ToolFailure('not_allowed', 'The session has ended, so nothing can be posted from it');
      case 'posted':
        await beginDeliveries(dependencies, channel === null ? [] : [posted.messageId]);
        return { message_id: posted.messageId };
    }
  },
});

/**
 * The same for a channel that does not exist and for one that does not list the agent;
 * other channels are not named.
 */
async function notAllowed(
  { workspace_id: workspaceId, agent_id: agentId }: ToolCaller,
  { db }: ToolDependencies,
): Promise<ToolFailure> {
  const names = await listChannelNamesOfAgent(db, workspaceId, agentId);
  const where = names.length === 0 ? 'it may post to no channel' : `it may post to ${names.join(', ')}`;
  return new ToolFailure(
    'not_allowed',
    `channel: no admin lists this agent there (${where}); ask an admin, or leave it out to post to the conversation`,
  );
}
