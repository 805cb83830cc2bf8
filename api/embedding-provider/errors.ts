/**
 * Why a provider made no vectors. The message is for an agent: nothing in it is of the provider, which was
 * given the key and could repeat it.
 */
export class EmbeddingError extends Error {
  override name = 'EmbeddingError';
  /** For the log. */
  readonly code: string;
  readonly isTemporary: boolean;

  constructor(code: string, message: string, isTemporary = false) {
    super(message);
    this.code = code;
    this.isTemporary = isTemporary;
  }
}

/** Ends every sentence about a provider. */
export const askAdmin = 'an admin can check it under Settings';
