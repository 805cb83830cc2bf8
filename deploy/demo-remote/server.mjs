/**
 * A remote MCP server with tickets, and the authorization server that signs people in to it, FOR DEMOS ONLY:
 * there are no passwords, anybody who opens the page chooses who to be. Beside it an MCP server that pushes
 * to a repository, at /push/mcp, for the platform alone. It listens on loopback alone.
 *   ISSUER      the authorization server's address, an origin (http://127.0.0.1:9101)
 *   SERVER_URL  the MCP endpoint (http://127.0.0.1:9102/mcp)
 *   DATA_DIR    where the signing key, the registered clients and the repository are kept, made at the first
 *               start, and push-token, which is given
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { loadOrMakeKeys } from '../demo-identity/keys.mjs';
import { loopbackUrl, portOf } from '../demo-identity/loopback-url.mjs';
import { createAuthorizationServer } from './authorization-server.mjs';
import { openCalls } from './calls.mjs';
import { askForConsent } from './consent.mjs';
import { openRepository } from './git-repository.mjs';
import { createPushEndpoint } from './push-server.mjs';
import { createRemoteServer } from './remote-server.mjs';
import { openStore } from './store.mjs';
import { openTickets } from './tickets.mjs';
import { webListener } from './web-listener.mjs';

const people = JSON.parse(readFileSync(new URL('../demo-identity/people.json', import.meta.url), 'utf8'));

function authorizationListener(provider, resource) {
  const answer = provider.callback();
  return (request, response) => {
    if (!request.url.startsWith('/consent/')) {
      answer(request, response);
      return;
    }
    askForConsent({ provider, people, resource }, request, response).catch(() => {
      response.writeHead(400, { 'content-type': 'text/plain' });
      response.end('This sign-in is not known any more. Go back to the platform and start it again.\n');
    });
  };
}

const publicHalf = ({ kty, n, e, kid, use, alg }) => ({ kty, n, e, kid, use, alg });

function listen(url, listener) {
  createServer(listener)
    .once('error', (error) => fail(`${url.host} cannot be listened on: ${error.code}`))
    .listen(portOf(url), '127.0.0.1');
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

function serve(issuer, url, directory) {
  const keys = loadOrMakeKeys(join(directory, 'keys.json'));
  const openModel = openStore(join(directory, 'clients.json'));
  const resource = url.href;
  const provider = createAuthorizationServer({ issuer: issuer.origin, resource, people, keys, openModel });
  const publicKeys = { keys: keys.jwks.keys.map(publicHalf) };
  const [tickets, calls] = [openTickets(), openCalls()];
  listen(issuer, authorizationListener(provider, resource));
  const answer = createRemoteServer({ url, issuer: issuer.origin, publicKeys, people, tickets, calls });
  const push = pushEndpoint(directory);
  listen(
    url,
    webListener(url.origin, (request) =>
      push !== null && new URL(request.url).pathname === '/push/mcp' ? push(request) : answer(request),
    ),
  );
  process.stderr.write(
    `FOR DEMOS ONLY: anyone who reaches ${issuer.origin} can be anyone (${Object.keys(people).join(', ')}).\n`,
  );
}

/** Null without a token, or with an empty one: nobody could use it, or everybody. */
function pushEndpoint(directory) {
  const file = join(directory, 'push-token');
  const token = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  if (token === '') {
    return null;
  }
  return createPushEndpoint({ token, repository: openRepository(join(directory, 'repository.git')) });
}

for (const name of ['SIGTERM', 'SIGINT']) {
  process.once(name, () => process.exit(0));
}
try {
  const { ISSUER, SERVER_URL, DATA_DIR } = process.env;
  serve(loopbackUrl('ISSUER', ISSUER), loopbackUrl('SERVER_URL', SERVER_URL), DATA_DIR ?? '.');
} catch (error) {
  fail(error.message);
}
