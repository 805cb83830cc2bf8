/** What the tools that send messages have in common. */
import * as z from 'zod';
import { maxMessageLength } from '../../contract/channel.ts';
import { isStorable, storable } from '../../contract/stored-data.ts';
import type { ToolDependencies } from './tool.ts';

/** What an agent writes to people or to another agent. */
export const messageText = z
  .string()
  .max(maxMessageLength)
  .refine(isStorable, storable)
  .refine((text) => text.trim() !== '', 'must not be empty');

/** Of a session's messages, wherever they go. */
export const messageLimitsOf = ({ config }: Pick<ToolDependencies, 'config'>) => ({
  perMinute: config.RATE_SESSION_MESSAGES_PER_MINUTE,
  publishedBytes: config.LIMIT_SESSION_EVENT_BYTES,
  waitingPerChannel: config.LIMIT_WAITING_MESSAGES_PER_CHANNEL,
  undeliveredBytes: config.LIMIT_UNDELIVERED_MESSAGE_BYTES,
});
