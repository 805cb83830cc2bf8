import type { Socket } from 'node:net';

/**
 * True when there is data to bridge; false when the connection ended unused. The byte stays in the socket.
 */
export function firstByte(socket: Socket, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (isUsed: boolean) => {
      socket.off('readable', onReadable);
      socket.off('close', onEnd);
      signal.removeEventListener('abort', onEnd);
      if (!isUsed) {
        socket.destroy();
      }
      resolve(isUsed);
    };
    const onReadable = () => settle(socket.readableLength > 0);
    const onEnd = () => settle(false);
    socket.on('readable', onReadable);
    socket.once('close', onEnd);
    signal.addEventListener('abort', onEnd, { once: true });
  });
}
