/**
 * Channels of a workspace: where agents that an admin lists may post, and where permission requests are
 * announced (docs/channels.md).
 */
import * as z from 'zod';
import { named, secretReference, timestamp, uuid } from './names.ts';

/** Characters of a message that an agent posts. */
export const maxMessageLength = 3000;
export const maxListedAgents = 200;

const nameRule = 'must be 1 to 40 lowercase letters, digits or inner hyphens';
export const channelName = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/, nameRule);
/** The same as agents give it: not every reader of a JSON Schema knows such patterns. */
export const givenChannelName = z
  .string()
  .min(1)
  .max(40)
  .refine((name) => channelName.safeParse(name).success, nameRule);

/** `slack`: an incoming webhook that understands the messages of Slack. */
export const channelKind = z.enum(['slack']);

/** What an admin decides of a channel, but for its name. */
const decided = {
  kind: channelKind.default('slack'),
  /** The secret whose value is the webhook's URL: whoever knows that can post. */
  address: secretReference,
  announce_permission_requests: z.boolean().default(false),
  /** Who may post; nobody unless listed. */
  agents: z
    .array(uuid)
    .max(maxListedAgents)
    .default([])
    .transform((ids) => [...new Set(ids)].sort()),
};
export const channelSettings = z.strictObject(decided);
export type ChannelSettings = z.infer<typeof channelSettings>;
export const channelInput = z.strictObject({ name: channelName, ...decided });
export type ChannelInput = z.infer<typeof channelInput>;

/** A channel as admins see it. */
export const channel = z.strictObject({
  id: uuid,
  name: channelName,
  kind: channelKind,
  address: z.string(),
  announce_permission_requests: z.boolean(),
  /** By name. */
  agents: z.array(named),
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: uuid.nullable(),
});
export type Channel = z.infer<typeof channel>;

/** Members know the names; all else is the admins' (`settings` is null). */
export const listedChannel = z.strictObject({
  name: channelName,
  settings: channel.omit({ name: true }).nullable(),
});
export type ListedChannel = z.infer<typeof listedChannel>;

export const messageKind = z.enum(['message', 'permission_request', 'test']);
export type MessageKind = z.infer<typeof messageKind>;
export const deliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

/**
 * Why a message was not delivered. A code and nothing of the address or the answer,
 * which may hold a credential.
 */
export const deliveryFailure = z.enum([
  /** An admin took the agent off the channel's list. */
  'not_allowed',
  'channel_removed',
  /** The channel no longer announces permission requests. */
  'not_announced',
  'request_closed',
  'workspace_closed',
  'too_many_waiting',
  'secret_not_set',
  'secret_not_allowed',
  'secret_unreadable',
  'address_invalid',
  /** A private address, or plain HTTP, that the operator did not list. */
  'address_refused',
  'redirected',
  /** The webhook refuses it, and would refuse it again. */
  'rejected',
  /** After all attempts, the last cause. */
  'rate_limited',
  'receiver_failed',
  'timed_out',
  'unreachable',
  'internal_error',
]);
export type DeliveryFailure = z.infer<typeof deliveryFailure>;

/**
 * A message to a channel and its delivery, as admins see it: without its text, which is in
 * the session's transcript.
 */
export const channelMessage = z.strictObject({
  /** Also its `Idempotency-Key` at the webhook. */
  id: uuid,
  /** The channel's name when it was posted; the channel may be gone. */
  channel: z.string(),
  kind: messageKind,
  status: deliveryStatus,
  failure: deliveryFailure.nullable(),
  attempts: z.int().nonnegative(),
  agent: named.nullable(),
  session_id: uuid.nullable(),
  request_id: uuid.nullable(),
  created_at: timestamp,
  settled_at: timestamp.nullable(),
});
export type ChannelMessage = z.infer<typeof channelMessage>;
