/** A grant as its audit records have it: with its content, since a cascade may remove the row later. */
import { type Grant, type StoredGrant, subjectMatter } from '../../contract/grant.ts';

/** What is no content of a grant: where it is, and its state. */
export const notContent = ['id', 'workspace_id', 'consumed_at', 'revoked_at'] as const;

/** The immutable fields of a grant. */
export function contentOf(grant: Grant | StoredGrant): Record<string, unknown> {
  const left = new Set<string>([...notContent, 'readable']);
  return Object.fromEntries(Object.entries(grant).filter(([field]) => !left.has(field)));
}

export const grantResource = ({ id, grant_type, details }: Grant | StoredGrant) => ({
  type: 'grant' as const,
  id,
  name: subjectMatter(grant_type, details),
});
