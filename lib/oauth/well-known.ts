/** Where metadata documents are (RFC 8615, with the forms of RFC 9728 3.1, RFC 8414 3.1 and OpenID Connect Discovery 4). Pure. */

/**
 * Sets the path of a copy and never resolves it against the origin, as the SDK's `buildDiscoveryUrls` does: an issuer such as
 * `https://honest.test//evil.test` would then have its metadata read from `evil.test`.
 */
function withPath(base: URL, path: string, search = ''): URL {
  const url = new URL(base.origin);
  url.pathname = path;
  url.search = search;
  return url;
}

/** The path without a slash at its end; empty for the root. */
const trimmedPath = ({ pathname }: URL): string => pathname.replace(/\/$/, '');

/** Of a protected resource: with its path inserted, and at the root. The root comes once when there is no path. */
export function resourceMetadataUrls(server: URL): URL[] {
  const name = '/.well-known/oauth-protected-resource';
  const path = trimmedPath(server);
  const inserted =
    path === '' && server.search === '' ? [] : [withPath(server, `${name}${path}`, server.search)];
  return [...inserted, withPath(server, name)];
}

/** Of an authorization server, in the order of the MCP specification. */
export function authorizationServerMetadataUrls(issuer: URL): URL[] {
  const path = trimmedPath(issuer);
  const oauth = withPath(issuer, `/.well-known/oauth-authorization-server${path}`);
  const openid = withPath(issuer, `/.well-known/openid-configuration${path}`);
  return path === ''
    ? [oauth, openid]
    : [oauth, openid, withPath(issuer, `${path}/.well-known/openid-configuration`)];
}
