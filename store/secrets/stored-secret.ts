import type { SealedSecret } from './envelope.ts';

/** A set secret as it is stored, with what its seal is bound to. */
export interface StoredSecret extends SealedSecret {
  id: string;
  workspaceId: string;
  name: string;
}

/** For `select`. */
export const storedSecretColumns = {
  id: 'id',
  workspaceId: 'workspace_id',
  name: 'name',
  sealedValue: 'sealed_value',
  sealedDataKey: 'sealed_data_key',
  keyId: 'key_id',
};

/** Sorts before every id: the start of keyset paging. */
export const lowestId = '00000000-0000-0000-0000-000000000000';
