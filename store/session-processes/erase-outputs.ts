import type { Db } from '../database.ts';

const nothing = {
  sealed_output: null,
  sealed_data_key: null,
  key_id: null,
  output_size_bytes: null,
  output_written_bytes: null,
  output_updated_at: null,
  earlier_output_size_bytes: 0,
  earlier_written_bytes: 0,
};

/** Erases outputs last written more than `keptSeconds` ago. Returns how many. */
export async function eraseOldOutputs(db: Db, { keptSeconds }: { keptSeconds: number }): Promise<number> {
  return db('session_processes')
    .whereRaw('output_updated_at < now() - make_interval(secs => ?)', [keptSeconds])
    .update(nothing);
}

/** Erases outputs sealed with any other key: they are not kept long enough to be resealed. Returns how many. */
export async function eraseOutputsOfOtherKeys(db: Db, keyId: string): Promise<number> {
  return db('session_processes').whereNotNull('key_id').andWhereNot('key_id', keyId).update(nothing);
}
