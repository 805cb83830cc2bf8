/**
 * Aborts the controller when `signal` is aborted, or at once when it was before, with its reason; until the
 * returned function is called. In place of AbortSignal.any: on Node 20 a timeout inside a combined signal may
 * be garbage-collected before its time is over, and then never fires.
 */
export function abortWith(controller: AbortController, signal: AbortSignal | undefined): () => void {
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) {
    abort();
  }
  return () => signal?.removeEventListener('abort', abort);
}
