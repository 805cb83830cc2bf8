import type { SecretMetadata } from '../../contract/secret.ts';

/** The columns that may be returned: exactly the metadata of `contract/secret.ts`. The sealed columns are never selected with it. */
export const metadataColumns = ['name', 'is_set', 'created_at', 'updated_at', 'updated_by'] as const;

export type SecretMetadataRow = SecretMetadata & { id: string };

export function presentSecret(row: SecretMetadataRow): SecretMetadata {
  return {
    name: row.name,
    is_set: row.is_set,
    created_at: row.created_at,
    updated_at: row.updated_at,
    updated_by: row.updated_by,
  };
}
