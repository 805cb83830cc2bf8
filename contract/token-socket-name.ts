/**
 * The name of the socket for access tokens next to the others of a server; cannot collide with a server,
 * since entry names begin with a letter or digit. Apart from its schemas: the session's host loads it.
 */
export const tokenSocketName = '.token.sock';
