/** Waits for all of them, also when one fails, so that nothing goes on behind the caller's back; then throws what failed first. */
export async function settled(work: readonly Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
}
