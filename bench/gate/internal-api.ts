/** The platform's internal API as far as a sidecar under load needs it: allows every call and takes every report. Prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answers: Readonly<Record<string, string>> = {
  ready: JSON.stringify({ inputs: [] }),
  check: JSON.stringify({ decision: 'allowed', granted_via: null }),
};
const taken = JSON.stringify({ ok: true });

const server = createServer((request, response) => {
  // Reports are not parsed: that cost belongs to another process.
  request.resume();
  request.once('end', () => {
    const route = request.url?.slice(request.url.lastIndexOf('/') + 1) ?? '';
    response.writeHead(200, { 'content-type': 'application/json' }).end(answers[route] ?? taken);
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.once('end', () => process.exit()).resume();
