/**
 * What `GET /api/me/stream` tells a browser: one stream for all of its tabs, each message one JSON text
 * (docs/decisions/0025-one-stream-for-all-tabs.md).
 */
import * as z from 'zod';
import { uuid } from './names.ts';
import { sessionEvent } from './session-event.ts';

export const streamMessage = z.discriminatedUnion('type', [
  /** Sent first: whose sign-in the stream belongs to. */
  z.strictObject({ type: z.literal('open'), user_id: uuid }),
  /** The next event of a watched session. */
  z.strictObject({ type: z.literal('session.event'), event: sessionEvent }),
  /**
   * What the agent has written of a message that it still writes: the whole text so far, in place of the one
   * before. It ends with the event of that id.
   */
  z.strictObject({ type: z.literal('session.text'), session_id: uuid, message_id: uuid, text: z.string() }),
  /** No more events of this session: it has ended, or the reader may not read it. */
  z.strictObject({
    type: z.literal('session.closed'),
    session_id: uuid,
    reason: z.enum(['ended', 'refused']),
  }),
  /** The session has new records, such as tool calls. */
  z.strictObject({ type: z.literal('session.recorded'), session_id: uuid }),
  /** Lists of this workspace may have changed. */
  z.strictObject({
    type: z.literal('workspace.changed'),
    workspace_id: uuid,
    topic: z.enum(['sessions', 'permission_requests', 'tool_definitions']),
  }),
  /** The reader was added to a workspace, removed from one, or has another role. */
  z.strictObject({ type: z.literal('memberships.changed') }),
  /** Sent last: the sign-in has ended. */
  z.strictObject({ type: z.literal('signed_out') }),
]);
export type StreamMessage = z.infer<typeof streamMessage>;
export type WorkspaceTopic = Extract<StreamMessage, { type: 'workspace.changed' }>['topic'];
