import type { Readable, Writable } from 'node:stream';
import { connectToSocket } from './connect.ts';

const connectLimitMs = 15_000;

/**
 * Bridges `input` and `output` to the socket byte for byte, with backpressure. The end of the input is passed
 * on and answers may still come back; the end of the socket ends the relay. Resolves with the exit code.
 */
export async function runAgentRelay(socketPath: string, input: Readable, output: Writable): Promise<number> {
  const socket = await connectToSocket(socketPath, connectLimitMs);
  input.pipe(socket);
  input.on('error', () => socket.destroy());
  output.on('error', () => socket.destroy());
  socket.pipe(output, { end: false });
  return new Promise((resolve) => {
    socket.once('end', () => socket.end());
    socket.once('close', (hadError) => {
      // What was read may still wait for a slow reader of the output; the callback comes after it, or
      // when nobody reads any more.
      output.write('', () => resolve(hadError ? 1 : 0));
    });
  });
}
