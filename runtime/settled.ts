/**
 * Waits for all promises, even when one fails, so that nothing keeps running unawaited; then
 * throws the first failure.
 */
export async function settled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}
