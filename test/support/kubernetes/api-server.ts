/** The few API requests that starting a cluster needs. Tests use the product's own client. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import * as z from 'zod';
import { certificateFile, kubeconfigFile, type NodePlace } from './node-place.ts';

const kubeconfig = z.looseObject({
  users: z.tuple([z.looseObject({ user: z.object({ token: z.string() }) })]),
});

/** The body of a GET that succeeded, else null. */
export function readFromApiServer(place: NodePlace, path: string): Promise<string | null> {
  const { users } = kubeconfig.parse(JSON.parse(readFileSync(kubeconfigFile(place), 'utf8')));
  return new Promise((resolve) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: place.apiserverPort,
        path,
        ca: readFileSync(certificateFile(place)),
        headers: { authorization: `Bearer ${users[0].user.token}` },
        timeout: 5_000,
        agent: false,
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.once('end', () => resolve(response.statusCode === 200 ? body : null));
        response.once('error', () => resolve(null));
      },
    );
    asked.once('timeout', () => asked.destroy());
    asked.once('error', () => resolve(null));
    asked.end();
  });
}
