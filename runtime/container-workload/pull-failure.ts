/**
 * Pure: classifies why an image could not be pulled. A node's or engine's message may quote the registry's
 * response, and the registry may have redirected anywhere: in full it would reveal the node's own network to
 * the person who named the image (SSRF).
 */
export type PullFailure = 'refused' | 'missing' | 'other';

export function pullFailureOf(message: string): PullFailure {
  if (
    /unauthorized|authentication required|authorization failed|denied|forbidden|\b40[13]\b/i.test(message)
  ) {
    return 'refused';
  }
  return /not found|manifest unknown|name unknown|no such image|\b404\b/i.test(message) ? 'missing' : 'other';
}
