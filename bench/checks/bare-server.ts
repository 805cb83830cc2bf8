/**
 * What the API is compared with: `node:http` with the prepared statement of a check and nothing else. No
 * token, no session, no limits, no log. Prints its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { checkAndConsumeStatement, checkValues } from '../../store/grants/check-and-consume.ts';

const [connectionString, sessionId = ''] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString, max: 16 });

const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    text += chunk;
  });
  request.once('end', () => {
    const { call_id: callId = '', server = '', tool = '' } = JSON.parse(text) as Record<string, string>;
    const values = checkValues({ callId, sessionId, server, tool, digest: null });
    pool.query({ name: 'check', text: checkAndConsumeStatement, values }).then(
      ({ rows }) => {
        const body = JSON.stringify({ decision: 'allowed', granted_via: rows[0].grant_id });
        response
          .writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
          .end(body);
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.once('end', () => process.exit()).resume();
