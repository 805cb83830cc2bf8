import * as z from 'zod';
import { uuid } from '../../contract/names.ts';

/** A set secret as it is stored, with what its seal is bound to. */
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
