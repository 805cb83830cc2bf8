/** So many sessions fit into one stream of a browser. Apart from the schemas, which the web UI does not load. */
export const maxWatchedSessions = 100;
