/** Reads manifests and blobs of one repository; signs in when the registry asks for it. */
import type { IncomingMessage } from 'node:http';
import { get, readResponseBody } from '../outbound/send.ts';
import { authorize, type RegistryCredentials } from './authorize.ts';
import { ImageError } from './errors.ts';
import type { ImageLimits } from './limits.ts';
import { formatReference, type ImageReference } from './reference.ts';
import { type RegistryContext, registryUrl } from './registry-policy.ts';

export interface RegistryClient {
  /** A manifest's or index's bytes by tag or digest, not yet verified. */
  manifest(
    tagOrDigest: string,
  ): Promise<{ bytes: Buffer; contentType: string; declaredDigest: string | null }>;
  /** A blob's bytes as they come, not yet verified. */
  blob(digest: string): Promise<IncomingMessage>;
}

/** Accepted types; anything else (Docker schema 1) is refused by the content of the response. */
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

export function createRegistryClient(
  context: RegistryContext,
  limits: ImageLimits,
  reference: ImageReference,
  credentials: RegistryCredentials | null,
): RegistryClient {
  const base = registryUrl(reference, context.policy);
  let authorization: string | null = null;

  /** A 401 is answered once per request: a token may have expired in between. */
  const fetchPath = async (path: string, what: string, accept: string) => {
    const url = new URL(`/v2/${reference.repository}/${path}`, base);
    const send = () =>
      get(context, url, { accept, ...(authorization === null ? {} : { authorization }) }, limits.redirects);
    let answer = await send();
    // A redirect target cannot choose the token server.
    if (answer.status === 401 && answer.url.origin === url.origin) {
      answer.body.destroy();
      const header = answer.headers['www-authenticate'];
      authorization = await authorize(context, limits, reference, credentials, header);
      answer = await send();
    }
    if (answer.status !== 200) {
      answer.body.destroy();
      throw statusError(reference, what, answer.status);
    }
    return answer;
  };

  return {
    async manifest(tagOrDigest) {
      const { headers, body } = await fetchPath(`manifests/${tagOrDigest}`, tagOrDigest, manifestTypes);
      const declared = headers['docker-content-digest'];
      return {
        bytes: await readResponseBody(body, limits.documentBytes, `the manifest ${tagOrDigest}`),
        contentType: (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '',
        declaredDigest: typeof declared === 'string' ? declared : null,
      };
    },
    async blob(digest) {
      return (await fetchPath(`blobs/${digest}`, digest, '*/*')).body;
    },
  };
}

function statusError(reference: ImageReference, what: string, status: number): ImageError {
  const { registry, repository } = reference;
  if (status === 401 || status === 403) {
    return new ImageError('unauthorized', `${registry} gives no access to ${repository}`);
  }
  if (status === 404) {
    return new ImageError(
      'not_found',
      `${formatReference(reference)} is not there: ${registry} has no ${what}`,
    );
  }
  const code = status === 429 || status >= 500 ? 'registry_unreachable' : 'invalid_response';
  return new ImageError(code, `${registry} answered ${status} when asked for ${what}`);
}
