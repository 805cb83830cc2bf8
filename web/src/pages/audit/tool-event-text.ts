/** What an audit event says of a server's tools (commands/tool-definitions). Pure. */
import type { AuditEvent } from '../../api/types.ts';
import { changeText } from '../../text/tool-change-text.ts';

type Data = AuditEvent['data'];

/** Null for every other event. */
export function toolEventText({ event, data }: Pick<AuditEvent, 'event' | 'data'>): string | null {
  switch (event) {
    case 'workspace.mcp.tools_pinned':
      return pinnedText(data);
    case 'workspace.mcp.tools_changed':
      return changeText({
        new_tools: textsOf(data, 'new_tools'),
        changed_tools: textsOf(data, 'changed_tools'),
        more_tools: numberOf(data, 'more_tools'),
        instructions_changed: data['instructions_changed'] === true,
      });
    case 'workspace.mcp.tools_accepted':
      return acceptedText(data);
    default:
      return null;
  }
}

function pinnedText(data: Data): string {
  const tools = numberOf(data, 'tools');
  const by = data['source'] === 'check' ? 'by a check' : 'by the first session';
  const what = tools === 1 ? '1 tool' : `${tools} tools`;
  return `${what}${data['has_instructions'] === true ? ' and its instructions' : ''} ${by}`;
}

function acceptedText(data: Data): string {
  const more = numberOf(data, 'more_tools');
  return [
    ...textsOf(data, 'tools'),
    ...(more === 0 ? [] : [`${more} more`]),
    ...(data['instructions'] === true ? ['its instructions'] : []),
  ].join(', ');
}

function textsOf(data: Data, name: string): string[] {
  const value = data[name];
  return Array.isArray(value) ? value.map(String) : [];
}

function numberOf(data: Data, name: string): number {
  const value = data[name];
  return typeof value === 'number' ? value : 0;
}
