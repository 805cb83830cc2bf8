/**
 * "May this secret be used here": the one rule and its sentence, at save, at launch and for
 * an image's registry. Pure.
 */

/** What the store knows of one secret. */
export interface KnownSecret {
  is_set: boolean;
  /** Entries that may use it; null means any. */
  allowed_servers: readonly string[] | null;
}

export interface SecretRefusal {
  code: 'secret_not_set' | 'secret_not_allowed';
  /** Said of the field or variable that refers to the secret: "needs ...". */
  message: string;
}

/** The secret does not exist, was cleared, or could not be read. */
export const secretNotSet = (name: string): SecretRefusal => ({
  code: 'secret_not_set',
  message: `needs secret ${name}, which is not set`,
});

/**
 * Why the secret of that name may not be used; null when it may. `server` is the entry that is given it;
 * null: the agent's side, which has grants.
 */
export function secretRefusal(
  name: string,
  secret: KnownSecret | undefined,
  server: string | null,
): SecretRefusal | null {
  if (secret?.is_set !== true) {
    return secretNotSet(name);
  }
  const { allowed_servers: allowed } = secret;
  return server === null || allowed === null || allowed.includes(server)
    ? null
    : {
        code: 'secret_not_allowed',
        message: `needs secret ${name}, which may not be given to "${server}"`,
      };
}

/**
 * The same for what the platform itself sends a secret to: the webhook of a channel, and the embedding
 * provider. A secret that is for certain servers is for nothing else; one that no server may be given
 * is for the platform alone.
 */
export function platformSecretRefusal(name: string, secret: KnownSecret | undefined): SecretRefusal | null {
  if (secret?.is_set !== true) {
    return secretNotSet(name);
  }
  return (secret.allowed_servers ?? []).length === 0
    ? null
    : {
        code: 'secret_not_allowed',
        message: `needs secret ${name}, which only MCP servers may be given`,
      };
}
