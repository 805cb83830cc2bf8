/** What only Podman's own API provides; Docker has none of its paths. */
import type Docker from 'dockerode';
import * as z from 'zod';

const engineVersion = z.object({ Components: z.array(z.object({ Name: z.string() })).nullish() });
const image = z.object({ Annotations: z.record(z.string(), z.unknown()).nullish() });
/** For a path that the engine does not have, or not in that version. */
const refusal = z.object({ statusCode: z.literal([400, 404]) });
const information = z.object({ host: z.object({ networkBackend: z.string().optional() }) });

/**
 * Tells whether the engine is a Podman. Asks until it answers, then no more: Podman looks its programs up
 * in the packages each time.
 */
export function createPodmanCheck(docker: Docker): () => Promise<boolean> {
  let known: boolean | undefined;
  return async () => {
    known ??= await isPodman(docker);
    return known;
  };
}

async function isPodman(docker: Docker): Promise<boolean> {
  const { Components } = engineVersion.parse(await docker.version());
  return (Components ?? []).some(({ Name }) => Name === 'Podman Engine');
}

/** The names of an image's annotations. */
export async function podmanAnnotations(docker: Docker, reference: string): Promise<string[]> {
  return Object.keys(image.parse(await ask(docker, `images/${reference}/json`)).Annotations ?? {});
}

/** `netavark` or `cni`; versions before 4, which do not say or refuse the path of version 4, had CNI only. */
export async function podmanNetworkBackend(docker: Docker): Promise<string> {
  try {
    return information.parse(await ask(docker, 'info')).host.networkBackend ?? 'cni';
  } catch (error) {
    if (refusal.safeParse(error).success) {
      return 'cni';
    }
    throw error;
  }
}

function ask(docker: Docker, path: string): Promise<unknown> {
  const asked = {
    path: `/v4.0.0/libpod/${path}`,
    method: 'GET',
    statusCodes: { 200: true, 400: 'bad request', 404: 'not found', 500: 'server error' },
  };
  return new Promise<unknown>((resolve, reject) =>
    docker.modem.dial(asked, (error: unknown, found: unknown) => (error ? reject(error) : resolve(found))),
  );
}
