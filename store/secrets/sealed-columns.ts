/** The columns of a sealed value, which every table that holds one names alike. */
import type { SealedSecret } from './envelope.ts';

interface SealedColumns {
  sealed_value: Buffer;
  sealed_data_key: Buffer;
  key_id: string;
}

export const columnsOf = ({ sealedValue, sealedDataKey, keyId }: SealedSecret): SealedColumns => ({
  sealed_value: sealedValue,
  sealed_data_key: sealedDataKey,
  key_id: keyId,
});

export const sealedOf = ({ sealed_value, sealed_data_key, key_id }: SealedColumns): SealedSecret => ({
  sealedValue: sealed_value,
  sealedDataKey: sealed_data_key,
  keyId: key_id,
});
