/** Whether what a server calls itself is what the admin entered (RFC 9728 3.3, and the parent rule of its update draft). Pure. */
import { parseUrl } from '../outbound/parse-url.ts';
import { OAuthDiscoveryError } from './errors.ts';
import { quote } from './quote.ts';

/**
 * Throws OAuthDiscoveryError `resource_refused` unless `resource` is the server's URL or a parent path of it on the same origin. Otherwise
 * a hostile server could name another's resource, and would be sent the tokens that are made for that one.
 */
export function requireOwnResource(resource: string, server: URL): void {
  const why = resourceRefusal(resource, server);
  if (why !== null) {
    throw new OAuthDiscoveryError(
      'resource_refused',
      `The server at ${quote(server.href)} says in "resource" that it is ${quote(resource)}, which ${why}; tokens would be made for another server, so correct the URL or ask the server's operator.`,
    );
  }
}

/** Dots and separators that one reader decodes and another does not, and backslashes. */
const ambiguous = /%2e|%2f|%5c|\\|\/\.{1,2}(?:[/?#]|$)/i;

/** Why it is not, to complete a sentence; null when it is. */
export function resourceRefusal(resource: string, server: URL): string | null {
  if (resource === server.href) {
    return null;
  }
  const named = /^https?:\/\/[\x21-\x7e]+$/i.test(resource) ? parseUrl(resource) : null;
  if (named === null) {
    return 'is not a web address';
  }
  if (named.username !== '' || named.password !== '' || resource.includes('#')) {
    return 'has a user name, password or fragment';
  }
  if (named.origin !== server.origin) {
    return 'is on another origin';
  }
  if (ambiguous.test(resource)) {
    return 'has a path that can be read in two ways';
  }
  if (resource.includes('?')) {
    const isSame = named.search === server.search && named.pathname === server.pathname;
    return isSame ? null : 'has a query that is not in the URL';
  }
  return isParentPath(named.pathname, server.pathname) ? null : 'is not a parent path of the URL';
}

/** By whole segments; a slash at the end makes no difference. */
function isParentPath(parent: string, path: string): boolean {
  const withSlash = (text: string) => (text.endsWith('/') ? text : `${text}/`);
  return withSlash(path).startsWith(withSlash(parent));
}
