/**
 * What an agent can do by itself: what is attached to it and what it holds, whoever starts it
 * (docs/grants.md#starting-another-agent). Names and grants alone: no value of a variable or a
 * secret, and no instructions.
 */
import * as z from 'zod';
import { agentKind } from './agent.ts';
import { egressRule, network, unlistedTools } from './catalog.ts';
import { channelName } from './channel.ts';
import { grant } from './grant.ts';
import { entryName, named, secretName, toolScope, uuid } from './names.ts';

/** How many of one kind are listed; the others are counted. */
export const mostOfAuthority = 50;

const more = z.int().nonnegative();
const first = <Item extends z.ZodType>(item: Item) => z.array(item).max(mostOfAuthority);
const secrets = { secrets: first(secretName), more_secrets: more };

export const attachedAuthority = z.strictObject({
  name: entryName,
  /** At a URL: an agent with such a server is refused as a child. */
  remote: z.boolean(),
  network,
  egress_allow: z.array(egressRule),
  /** Whether tools can be called that neither a scope nor the entry's list names. */
  unlisted_tools: unlistedTools,
  /** The scopes that gate tools of the server. */
  tool_scopes: first(toolScope),
  more_tool_scopes: more,
  /** Secrets that the attachment gives to the server. */
  ...secrets,
});

export const heldGrant = grant
  .pick({ id: true, grant_type: true, details: true, scope: true })
  /** The agent that a `spawn` grant lets it start in turn; null when it is gone. */
  .extend({ child_agent: named.nullable() });

export const agentAuthority = z.strictObject({
  agent: z.strictObject({ id: uuid, name: z.string(), kind: agentKind, owner: named.nullable() }),
  network,
  egress_allow: z.array(egressRule),
  /** Whether a remote MCP server is attached: no session can start such an agent. */
  remote: z.boolean(),
  servers: first(attachedAuthority),
  more_servers: more,
  /**
   * The active grants that a new session of the agent can use: of the scopes `persistent` and `once`,
   * and bound to no session.
   */
  grants: first(heldGrant),
  more_grants: more,
  /** Channels that list the agent: what it posts there leaves the platform. */
  channels: first(channelName),
  more_channels: more,
  /**
   * Secrets that the environment of the agent, its siblings and its services refers to: they can read them.
   */
  ...secrets,
});
export type AgentAuthority = z.infer<typeof agentAuthority>;
