/** What a role allows, shown before it is assigned. */
import type { Member } from '../../api/types.ts';

export const meaningOfRole: Record<Member['role'], string> = {
  admin:
    'Admins see every session and decide every request; they manage secrets, MCP servers, members, settings and the audit trail.',
  member:
    'Members start sessions, decide what their own sessions and agents ask for, and edit their own agents. They cannot see the audit trail or the settings.',
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a person was named by their user id, which everyone finds in the menu below their own name. */
export const isUserId = (text: string): boolean => uuid.test(text.trim());
