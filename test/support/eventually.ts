/** Waits until a check passes; throws what it threw last when it does not within the limit. */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { withinMs = 15_000, everyMs = 50 } = {},
): Promise<Result> {
  const deadline = Date.now() + withinMs;
  while (true) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }
}
