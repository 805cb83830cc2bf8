/**
 * Why something embedded cannot start, as a sentence for the person at the terminal; shown without a stack.
 */
export class StartError extends Error {
  override name = 'StartError';
}

export function messageOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'message' in error
    ? String(error.message)
    : String(error);
}
