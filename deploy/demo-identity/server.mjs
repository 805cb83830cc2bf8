/**
 * An OpenID Connect provider FOR DEMOS ONLY: there are no passwords, anybody who opens its page chooses an
 * identity. It refuses to serve a platform that is reached by anything but a loopback name.
 *   ISSUER      its own address, for browsers and for the API alike (http://127.0.0.1:9000)
 *   PUBLIC_URL  the platform's address (http://localhost:8080)
 *   PLATFORM_ISSUER  the platform's own setting: once it names another provider, this one serves nothing
 *   KEYS_DIR    where its signing key is kept, made at the first start
 *   WATCH_URL   optional: it ends when this does not answer for a while. It shares the API's network; a
 *               restart of the API replaces that network, and only a restart of this server finds it.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { loadOrMakeKeys } from './keys.mjs';
import { loopbackUrl, portOf } from './loopback-url.mjs';
import { page, pageHeaders } from './page.mjs';
import { createProvider } from './provider.mjs';
import { readForm } from './read-form.mjs';

const people = JSON.parse(readFileSync(new URL('people.json', import.meta.url), 'utf8'));
const watchIntervalMs = 5_000;
const missesAllowed = 4;

/** Shows the identities, and accepts the choice. */
async function choose(provider, request, response) {
  const { prompt } = await provider.interactionDetails(request, response);
  const person = request.method === 'POST' ? (await readForm(request)).get('person') : null;
  if (prompt.name === 'login' && person !== null && Object.hasOwn(people, person)) {
    const result = { login: { accountId: person, remember: false } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
    return;
  }
  response.writeHead(200, pageHeaders);
  response.end(page(people));
}

function watch(url) {
  let misses = 0;
  setInterval(async () => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(watchIntervalMs) }).catch(() => null);
    misses = answer === null ? misses + 1 : 0;
    if (misses > missesAllowed) {
      process.stderr.write(`${url} does not answer; ending, so that a restart finds its network again\n`);
      process.exit(1);
    }
  }, watchIntervalMs).unref();
}

/** Answers the supervisor's health checks. */
function standBy(port) {
  createServer((request, response) => {
    response.writeHead(request.url === '/health' ? 200 : 404);
    response.end();
  }).listen(port, '0.0.0.0');
  process.stderr.write('Another identity provider is configured; this one serves nothing.\n');
}

function serve(issuer) {
  const publicUrl = loopbackUrl('PUBLIC_URL', process.env.PUBLIC_URL);
  const keys = loadOrMakeKeys(join(process.env.KEYS_DIR ?? '.', 'demo-identity.json'));
  const provider = createProvider({ issuer, publicUrl, people, keys });
  const answer = provider.callback();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', issuer);
    if (pathname === '/health') {
      response.end('ok');
    } else if (pathname.startsWith('/choose/')) {
      choose(provider, request, response).catch(() => {
        response.writeHead(400, { 'content-type': 'text/plain' });
        response.end('This sign-in is not known any more. Go back to the platform and start it again.\n');
      });
    } else {
      answer(request, response);
    }
  });
  server.listen(portOf(issuer), '0.0.0.0', () => {
    process.stderr.write(
      `FOR DEMOS ONLY: anyone who reaches ${issuer.origin} can be anyone (${Object.keys(people).join(', ')}).\n`,
    );
  });
  if (process.env.WATCH_URL) {
    watch(process.env.WATCH_URL);
  }
}

for (const name of ['SIGTERM', 'SIGINT']) {
  process.once(name, () => process.exit(0));
}
try {
  const issuer = loopbackUrl('ISSUER', process.env.ISSUER);
  const used = process.env.PLATFORM_ISSUER || issuer.origin;
  if (used === issuer.origin) {
    serve(issuer);
  } else {
    standBy(portOf(issuer));
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
