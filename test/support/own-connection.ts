/**
 * Headers of a request whose connection is not used again. A kept connection may lead to a Pod that
 * was killed, and never answer; or the server closes it at the moment of its reuse, when this
 * process is slow. Every request to a platform needs them: those that have them use a connection
 * that another request left open, too.
 */
export const ownConnection = { connection: 'close' };
