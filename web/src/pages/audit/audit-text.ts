/** Audit events as people read them. */

import type { AuditEvent } from '../../api/types.ts';
import { pathOf, type SectionPath } from '../../app/paths.ts';
import { oneCallText } from '../../text/call-digest-text.ts';
import type { Tone } from '../../text/tone.ts';
import { eventVerbs } from './event-verbs.ts';
import { registrationEventText } from './registration-event-text.ts';
import { toolEventText } from './tool-event-text.ts';

/** In the order of the filter. */
export const eventLabels: Record<AuditEvent['event'], string> = {
  'session.mcp.tool_called': 'Tool called',
  'session.mcp.calls_refused': 'Calls over a limit refused',
  'session.created': 'Session started',
  'session.ended': 'Session ended',
  'session.muted': 'Session muted',
  'session.unmuted': 'Session unmuted',
  'session.renamed': 'Session renamed',
  'session.patch_requested': 'Patch requested',
  'session.output_read': 'Process output viewed',
  'session.message.posted': 'Message posted',
  'session.preview.deployed': 'Preview deployed',
  'session.preview.ended': 'Preview ended',
  'model.budget_reached': 'Limit of model access reached',
  'decision.withdrawn': 'Decision withdrawn',
  'passkey.registered': 'Passkey registered',
  'passkey.renamed': 'Passkey renamed',
  'passkey.removed': 'Passkey removed',
  'permission_request.created': 'Permission requested',
  'permission_request.approved': 'Permission request approved',
  'permission_request.denied': 'Permission request denied',
  'permission_request.expired': 'Permission request expired',
  'permission_request.cancelled': 'Permission request cancelled',
  'grant.created': 'Grant created',
  'grant.consumed': 'Grant used up',
  'grant.revoked': 'Grant revoked',
  'agent.created': 'Agent created',
  'agent.updated': 'Agent updated',
  'agent.archived': 'Agent archived',
  'agent.unarchived': 'Agent taken back into use',
  'agent.removed': 'Agent deleted',
  'agent.env_updated': 'Agent environment updated',
  'agent.mcp.attached': 'MCP server attached',
  'agent.mcp.detached': 'MCP server detached',
  'agent.mcp.env_updated': 'Attachment updated',
  'workspace.mcp.registered': 'MCP server registered',
  'workspace.mcp.updated': 'Catalog entry updated',
  'workspace.mcp.removed': 'MCP server removed',
  'workspace.mcp.checked': 'MCP server checked',
  'workspace.mcp.check_output_read': 'Check output viewed',
  'workspace.mcp.tools_pinned': 'Tools pinned',
  'workspace.mcp.tools_changed': 'Tools changed',
  'workspace.mcp.tools_accepted': 'Changed tools accepted',
  'workspace.mcp.registration_completed': 'Remote server registered',
  'workspace.mcp.registration_failed': 'Remote server not registered',
  'workspace.mcp.registration_retried': 'Registration tried again',
  'workspace.mcp.issuer_accepted': 'Sign-in at remote server accepted',
  'workspace.mcp.client_deleted': 'Client at authorization server deleted',
  'connection.created': 'Signed in to remote server',
  'connection.ended': 'Sign-in to remote server ended',
  'connection.refused': 'Sign-in refused by remote server',
  'connection.revoked': 'Tokens of ended sign-in erased',
  'connection.tokens_refused': 'Tokens of sign-in refused by remote server',
  'workspace.secret.set': 'Secret set',
  'workspace.secret.replaced': 'Secret replaced',
  'workspace.secret.cleared': 'Secret cleared',
  'workspace.secret.restricted': 'Secret restricted',
  'workspace.channel.created': 'Channel created',
  'workspace.channel.updated': 'Channel updated',
  'workspace.channel.removed': 'Channel removed',
  'schedule.created': 'Schedule created',
  'schedule.updated': 'Schedule updated',
  'schedule.paused': 'Schedule paused',
  'schedule.resumed': 'Schedule resumed',
  'schedule.run_requested': 'Run of a schedule asked for',
  'schedule.removed': 'Schedule removed',
  'workspace.member.added': 'Member added',
  'workspace.member.role_changed': 'Role changed',
  'workspace.member.moved': 'Member moved to another subject',
  'workspace.member.removed': 'Member removed',
  'workspace.member.rules_held_back': 'Rules for groups held back',
  'workspace.embedding_provider.set': 'Embedding provider set',
  'workspace.embedding_provider.removed': 'Embedding provider removed',
  'workspace.repository.set': 'Repository registered',
  'workspace.repository.removed': 'Repository removed',
  'workspace.settings_updated': 'Settings updated',
  'workspace.closed': 'Workspace closed',
  'workspace.reopened': 'Workspace reopened',
  'workspace.created': 'Workspace created',
};

export const verbOf = ({ event }: Pick<AuditEvent, 'event'>): string => eventVerbs[event];

const textOf = (data: AuditEvent['data'], name: string): string | null => {
  const value = data[name];
  return typeof value === 'string' ? value : null;
};

/**
 * What it was about: `files.write_file`, `files of scribe`, `max@demo.test: member`. Names
 * are other people's words.
 */
export function aboutOf({ event, resource, data }: AuditEvent): string {
  const ofServer = toolEventText({ event, data }) ?? registrationEventText({ event, data });
  if (ofServer !== null) {
    return `${resource.name}: ${ofServer}`;
  }
  const digest = boundDigestOf(data);
  if (event.startsWith('grant.') && digest !== null) {
    return `${resource.name}: ${oneCallText(digest)}`;
  }
  const [name, role] = [textOf(data, 'name'), textOf(data, 'role')];
  if (event === 'session.mcp.tool_called' || event === 'session.mcp.calls_refused') {
    const count = event === 'session.mcp.calls_refused' ? ` (${String(data['count'])} calls)` : '';
    return `${name ?? resource.name}.${textOf(data, 'tool') ?? ''}${count}`;
  }
  if (event.startsWith('agent.mcp.') && name !== null) {
    return `${name} of ${resource.name}`;
  }
  const limit = event === 'model.budget_reached' ? textOf(data, 'limit') : null;
  if (limit !== null) {
    return `${resource.name}: ${limit}`;
  }
  return role === null ? resource.name : `${resource.name}: ${role}`;
}

/**
 * Of the one call that a grant is bound to: beside its content where that is recorded whole, else on its own.
 */
function boundDigestOf(data: AuditEvent['data']): string | null {
  const bound = data['bound_to'];
  return textOf({ ...(typeof bound === 'object' ? bound : {}), ...data }, 'call_digest');
}

const failedOutcomes = new Set(['failed', 'protocol_error', 'server_unavailable']);
const refusedOutcomes = new Set(['permission_required', 'refused']);

function toneOf(outcome: string): Tone {
  if (outcome === 'ok' || outcome === 'completed') {
    return 'ok';
  }
  return failedOutcomes.has(outcome) ? 'fail' : refusedOutcomes.has(outcome) ? 'refused' : 'idle';
}

/** How a call or a session ended, as a word; null for events that have no outcome. */
export function outcomeOf({ event, data }: AuditEvent): { word: string; tone: Tone } | null {
  const word = textOf(data, event === 'session.ended' ? 'status' : 'outcome');
  if (
    word === null ||
    !['session.ended', 'session.mcp.tool_called', 'session.mcp.calls_refused'].includes(event)
  ) {
    return null;
  }
  return { word: word.replaceAll('_', ' '), tone: toneOf(word) };
}

export interface EventLink {
  label: string;
  to: string;
}

/** Related pages: a gated call leads to its grant, a grant to its request, most things to their session. */
export function linksOf(slug: string, event: AuditEvent): EventLink[] {
  const { resource, data, session_id: sessionId } = event;
  const links: EventLink[] = [];
  const add = (label: string, section: SectionPath, id: string) =>
    links.push({ label, to: pathOf(slug, section, id) });
  const grant =
    resource.type === 'grant' ? resource.id : (textOf(data, 'granted_via') ?? textOf(data, 'grant_id'));
  const request = resource.type === 'permission_request' ? resource.id : textOf(data, 'request_id');
  if (grant !== null) {
    add('Grant', 'grants', grant);
  }
  if (request !== null) {
    add('Request', 'approvals', request);
  }
  if (resource.type === 'preview') {
    add('Preview', 'previews', resource.id);
  }
  if (sessionId !== null || resource.type === 'session') {
    add('Session', 'sessions', sessionId ?? resource.id);
  }
  if (resource.type === 'agent' && event.event !== 'agent.removed') {
    add('Agent', 'agents', resource.id);
  }
  if (toolEventText(event) !== null) {
    links.push({ label: 'Tools', to: pathOf(slug, 'catalog', resource.name, 'tools') });
  }
  return links;
}

/** The page of what the sentence names: the thing itself, else the session in which it happened. */
export function mainLinkOf(slug: string, event: AuditEvent): EventLink | undefined {
  const { resource, event: name } = event;
  if (name === 'workspace.mcp.removed' || name === 'workspace.secret.cleared' || name === 'agent.removed') {
    return undefined;
  }
  if (resource.type === 'mcp_server' && !name.startsWith('session.')) {
    return { label: 'Server', to: pathOf(slug, 'catalog', resource.name) };
  }
  const links = linksOf(slug, event);
  const wanted: Record<string, string> = {
    grant: 'Grant',
    permission_request: 'Request',
    agent: 'Agent',
    preview: 'Preview',
  };
  return links.find(({ label }) => label === (wanted[resource.type] ?? 'Session'));
}
