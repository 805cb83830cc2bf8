import { openSecret } from '../../commands/secrets/secrets.ts';
import type { MasterKeys } from '../../config/keys.ts';
import type { EmbeddingProvider } from '../../contract/embedding-provider.ts';
import { referencedSecretName } from '../../contract/names.ts';
import type { SecretRefusal } from '../../contract/secret-use.ts';
import type { Db } from '../../store/database.ts';
import { UnreadableSecretError } from '../../store/secrets/envelope.ts';

/** A header holds nothing else. */
const headerValue = /^[\x21-\x7e]+$/;

export type ProviderKey = { value: string | null } | { refusal: SecretRefusal };

/**
 * The provider's key as it is now, null where it has none, or why there is none to send;
 * never with any of the value.
 */
export async function readProviderKey(
  db: Db,
  masterKeys: MasterKeys,
  { workspaceId, api_key }: { workspaceId: string } & Pick<EmbeddingProvider, 'api_key'>,
): Promise<ProviderKey> {
  const name = api_key === null ? null : referencedSecretName(api_key);
  if (name === null) {
    return { value: null };
  }
  const opened = await openSecret(db, masterKeys, { workspaceId, name, server: null }).catch(
    (error: unknown) => {
      if (error instanceof UnreadableSecretError) {
        return {
          refusal: {
            code: 'secret_not_set',
            message: `needs secret ${name}, which cannot be read: set it again`,
          },
        } as const;
      }
      throw error;
    },
  );
  return 'refusal' in opened || headerValue.test(opened.value)
    ? opened
    : {
        refusal: {
          code: 'secret_not_allowed',
          message: `needs secret ${name}, whose value is no key: it has spaces, line breaks or characters beyond ASCII`,
        },
      };
}
