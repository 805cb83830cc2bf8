/** What a change makes stale, for changes that reach further than their own list. */
import type { QueryKey } from '@tanstack/react-query';
import { keys } from './keys.ts';

const agent = (slug: string, id: string): QueryKey[] => [
  keys.agent(id),
  keys.agents(slug),
  keys.grants(slug),
];

export const stale = {
  /**
   * An agent that is archived loses grants, and its places in channels; its requests close, its schedules
   * pause and its sessions may end.
   */
  archive: (slug: string, id: string): QueryKey[] => [
    ...agent(slug, id),
    ...[keys.channels(slug), keys.schedules(slug), keys.sessions(slug), keys.permissionRequests(slug)],
  ],
  /** An edit of an agent may cost it grants. */
  agent,
  /** Of what is attached to an agent. */
  attachments: (slug: string, agentId: string): QueryKey[] => [
    ...agent(slug, agentId),
    keys.secrets(slug),
    keys.mcpServers(slug, 'uses'),
  ],
  /** An edit of a catalog entry decides which agents can run, and which grants count. */
  entry: (slug: string): QueryKey[] => [
    keys.mcpServers(slug),
    keys.changedServers(slug),
    keys.agents(slug),
    keys.grants(slug),
  ],
  /** What a new workspace begins with, by its own route. */
  example: (slug: string): QueryKey[] => [
    keys.mcpServers(slug),
    keys.agents(slug),
    keys.sessions(slug),
    keys.home(slug),
  ],
  /** A channel refers to a secret; one that is gone fails the messages that wait. */
  channel: (slug: string): QueryKey[] => [
    keys.channels(slug),
    keys.channelMessages(slug),
    keys.secrets(slug),
  ],
  /** What servers say of their tools was seen, or accepted. */
  toolDefinitions: (slug: string): QueryKey[] => [keys.mcpServers(slug, 'tools'), keys.changedServers(slug)],
  /** A decision on a permission request of the session. */
  decision: (slug: string, sessionId: string): QueryKey[] => [
    keys.permissionRequests(slug),
    keys.session(sessionId),
    keys.grants(slug),
  ],
  /** One's own role decides what the pages show. */
  role: (slug: string): QueryKey[] => [keys.members(slug), keys.me],
  /** All of a workspace that was closed or reopened. */
  closing: (slug: string): QueryKey[] => [keys.workspace(slug), keys.me],
  /** A removal from the workspace, perhaps of oneself. */
  membership: (slug: string): QueryKey[] => [keys.workspace(slug), keys.me],
};
