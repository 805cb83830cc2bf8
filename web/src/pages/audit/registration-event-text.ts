/** What an audit event says of a remote server: its registration, and people's sign-ins there. Pure. */
import type { AuditEvent } from '../../api/types.ts';

type Data = AuditEvent['data'];

/** Null for every other event, and for one that says no more than its name. */
export function registrationEventText({ event, data }: Pick<AuditEvent, 'event' | 'data'>): string | null {
  switch (event) {
    case 'workspace.mcp.registration_completed':
      return completedText(data);
    case 'workspace.mcp.registration_failed':
      return textOf(data, 'reason');
    case 'workspace.mcp.issuer_accepted': {
      const before = partiesText(data['before']);
      return [partiesText(data['accepted']), ...(before === null ? [] : [`before ${before}`])].join(', ');
    }
    case 'workspace.mcp.client_deleted':
      return `${textOf(data, 'client_id')} at ${textOf(data, 'issuer')}${data['at_server'] === true ? '' : ', which did not delete it'}`;
    case 'connection.refused':
    case 'connection.tokens_refused':
      return data['explanation'] === undefined ? null : textOf(data, 'explanation');
    case 'connection.revoked':
      return data['at_server'] === true ? 'revoked at the server' : 'not revoked at the server';
    default:
      return null;
  }
}

function completedText(data: Data): string | null {
  switch (data['sign_in']) {
    case 'none':
      return 'it asks for no sign-in';
    case 'headers':
      return 'with a static key';
    default:
      return partiesText(data);
  }
}

/** `https://issuer for https://resource`. */
function partiesText(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) {
    return null;
  }
  const parties: Data = { ...value };
  return `${textOf(parties, 'issuer')} for ${textOf(parties, 'resource')}`;
}

const textOf = (data: Data, name: string): string => String(data[name] ?? 'unknown');
