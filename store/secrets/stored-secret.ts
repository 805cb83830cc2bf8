import * as z from 'zod';
import { uuid } from '../../contract/names.ts';
import type { Db } from '../database.ts';

/** Where values are kept that are sealed for as long as they exist. */
export const sealedTables = ['workspace_secrets', 'oauth_credentials', 'permission_request_calls'] as const;
export type SealedTable = (typeof sealedTables)[number];

/** The values of a table: a secret that is not set has none. */
export const sealedValues = (db: Db, table: SealedTable) => db(table).whereNotNull('sealed_value');

/** A sealed value as it is stored, with what its seal is bound to. */
export const storedSecret = z.object({
  id: uuid,
  workspaceId: uuid,
  name: z.string(),
  sealedValue: z.instanceof(Buffer),
  sealedDataKey: z.instanceof(Buffer),
  keyId: z.string(),
});
export type StoredSecret = z.infer<typeof storedSecret>;

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
