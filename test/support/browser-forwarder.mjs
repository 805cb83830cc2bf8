/**
 * `node browser-forwarder.mjs PORT SOCKET`: passes connections to this port of its network's loopback on to a
 * Unix socket, which belongs to no network. Prints a line once it listens.
 */
import { connect, createServer } from 'node:net';

const [port, socketPath] = process.argv.slice(2);
createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ path: socketPath, allowHalfOpen: true });
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
  near.pipe(far).pipe(near);
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
