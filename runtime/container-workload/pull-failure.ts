/**
 * Pure: why an image could not be pulled, by kinds. What a node or an engine says holds what a registry answered, and that registry
 * may have led it anywhere: in full it would tell whoever named the image what the node's own network answers.
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
