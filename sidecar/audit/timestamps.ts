/** Returns a function for the current time as ISO text, which formats it once a millisecond: a busy session asks far more often. */
export function createTimestamps(nowMs: () => number = Date.now): () => string {
  let formattedMs = Number.NaN;
  let text = '';
  return () => {
    const atMs = nowMs();
    if (atMs !== formattedMs) {
      formattedMs = atMs;
      text = new Date(atMs).toISOString();
    }
    return text;
  };
}
