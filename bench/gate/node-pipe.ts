/**
 * `node-pipe.ts PATH BEHIND`: what a Node program takes that only copies, from one Unix socket to another.
 * Ends with its standard input.
 */
import { createConnection, createServer } from 'node:net';

const [path = '', behind = ''] = process.argv.slice(2);

createServer((client) => {
  const server = createConnection(behind);
  client.pipe(server).pipe(client);
  for (const side of [client, server]) {
    side.on('error', () => undefined);
  }
}).listen(path);
process.stdin.resume().once('close', () => process.exit());
