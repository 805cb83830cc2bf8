/**
 * The name of the socket that the relay beside a sibling dials, next to the one that it reports on. No
 * schema: runtimes and sidecar load it.
 */
export const siblingSocketName = '.agent.sock';
