/**
 * How reports on a session's processes reach its sidecar. No schema: the session's
 * host and the relay load it.
 */

/** How much of a session process's stderr is kept; earlier output is dropped. */
export const maxOutputBytes = 64 * 1024;

/** A line on a report socket with more bytes is refused. */
export const maxClaimBytes = 32 * 1024;

/**
 * The name of the report socket next to the others; cannot collide with a server, since entry names
 * begin with a letter or digit.
 */
export const reportSocketName = '.report.sock';
