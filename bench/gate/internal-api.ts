/**
 * The platform's internal API as far as a sidecar under load needs it: allows every call and takes every
 * report. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const allowed = { decision: 'allowed', granted_via: null };
const answers: Readonly<Record<string, string>> = {
  ready: JSON.stringify({ inputs: [] }),
  check: JSON.stringify(allowed),
};
const taken = JSON.stringify({ ok: true });

function allowAll(body: string): string {
  const { checks } = JSON.parse(body) as { checks: { call_id: string }[] };
  return JSON.stringify({ answers: checks.map(({ call_id }) => ({ call_id, answer: allowed })) });
}

const server = createServer((request, response) => {
  const route = request.url?.slice(request.url.lastIndexOf('/') + 1) ?? '';
  const answer = (text: string) => response.writeHead(200, { 'content-type': 'application/json' }).end(text);
  if (route === 'checks') {
    void request.toArray().then((chunks: Buffer[]) => answer(allowAll(Buffer.concat(chunks).toString())));
    return;
  }
  // Reports are not parsed: that cost belongs to another process.
  request.resume();
  request.once('end', () => answer(answers[route] ?? taken));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.once('end', () => process.exit()).resume();
