/**
 * Fills a platform whose people sign in at the demo identity provider (deploy/demo-identity) with the
 * demo workspace, and leaves a session waiting for an approval. It uses the public API only: whatever it
 * does, the demo users may do.
 */
import * as z from 'zod';
import { ConfigurationError, parseEnvironment } from '../config/parse.ts';
import { publicUrl } from '../config/public-url.ts';
import { signInAtProvider } from './start/provider-sign-in.ts';
import { seedDemo } from './start/seed-demo.ts';
import { addDemoWriter } from './start/seed-demo-writer.ts';
import { StartError } from './start/start-error.ts';

const stopping = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.once(name, () => stopping.abort());
}

const environment = z.object({
  PUBLIC_URL: publicUrl,
  /** The demo identity provider, and the one that the platform uses. */
  DEMO_ISSUER: z.url(),
  OIDC_ISSUER: z.url(),
  DEMO_MODEL_KEY: z.string().optional(),
});

async function seed(PUBLIC_URL: string, modelKey: string | undefined): Promise<void> {
  // Once she has signed in, an admin can add her to a workspace by her e-mail address.
  await signInAtProvider(PUBLIC_URL, 'nora');
  const ada = await signInAtProvider(PUBLIC_URL, 'ada');
  const demo = await seedDemo({
    ada,
    max: await signInAtProvider(PUBLIC_URL, 'max'),
    signal: stopping.signal,
    // The platform itself ends sessions whose workload no longer exists.
    isAlive: () => true,
  });
  if (modelKey !== undefined) {
    await addDemoWriter(ada, modelKey, console.log);
  }
  console.log(
    'requestId' in demo
      ? `The demo is ready: session ${demo.sessionId} waits for an approval. Open ${PUBLIC_URL}/app/ and sign in as Ada Admin.`
      : `The demo session ${demo.sessionId} does not wait: ${demo.reason}`,
  );
}

try {
  const { PUBLIC_URL, DEMO_ISSUER, OIDC_ISSUER, DEMO_MODEL_KEY } = parseEnvironment(environment, process.env);
  if (DEMO_ISSUER === OIDC_ISSUER) {
    await seed(PUBLIC_URL, DEMO_MODEL_KEY);
  } else {
    console.log('The platform uses another identity provider than the demo; nothing to do.');
  }
} catch (error) {
  console.error(error instanceof ConfigurationError || error instanceof StartError ? error.message : error);
  process.exitCode = 1;
}
