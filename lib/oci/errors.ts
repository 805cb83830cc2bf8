/**
 * Why an image could not be read. The message is for the admin who named the image: it says what
 * is wrong and what to do.
 */
export type ImageErrorCode =
  | 'invalid_reference'
  | 'registry_unreachable'
  | 'address_refused'
  | 'insecure_registry'
  | 'unauthorized'
  | 'realm_refused'
  | 'not_found'
  | 'invalid_response'
  | 'digest_mismatch'
  | 'unsupported_media_type'
  | 'platform_missing'
  | 'no_entrypoint'
  | 'too_large'
  | 'too_many_redirects'
  | 'time_limit'
  | 'unreadable_layer'
  | 'unsafe_path'
  | 'manifest_not_a_file'
  | 'manifest_too_large'
  | 'manifest_malformed';

/** Holds no credential and no token: its message is shown and logged. */
export class ImageError extends Error {
  override name = 'ImageError';
  readonly code: ImageErrorCode;

  constructor(code: ImageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
