/** Max sessions in one stream of a browser. Separate from the schemas, which the web UI does not load. */
export const maxWatchedSessions = 100;
