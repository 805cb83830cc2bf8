/** Reads an image from the test's registry, which must be allowed since it is on loopback. */
import { type ImageFacts, type ReadImageOptions, readImage } from '../../../../lib/oci/read-image.ts';
import { type RegistryPolicy, registryPolicy } from '../../../../lib/oci/registry-policy.ts';

export const fileName = 'mcp-manifest.json';

export function allowing(...hosts: string[]): RegistryPolicy {
  return registryPolicy(new Map(hosts.map((host) => [host, 'http'])), new Map());
}

export function read(
  host: string,
  name: string,
  options: Partial<ReadImageOptions> = {},
): Promise<ImageFacts> {
  return readImage(`${host}/${name}`, {
    workspaceId: 'workspace',
    policy: allowing(host),
    credentials: null,
    platform: { os: 'linux', architecture: 'amd64' },
    fileName,
    ...options,
  });
}

/** The outcome of a read: the file's text, null without one, or the error's code and message. */
export async function outcome(
  host: string,
  name: string,
  options: Partial<ReadImageOptions> = {},
): Promise<string | null | { code: string; message: string }> {
  try {
    const { file } = await read(host, name, options);
    return file === null ? null : String(file);
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return { code, message };
  }
}
