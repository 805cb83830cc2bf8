/**
 * Attackers at the front door, on connections of their own: they send what they like,
 * and read what they want to.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Ends what goes on, and waits until it has. */
export type End = () => Promise<void>;

export interface AskedPath {
  path: string;
  cookie?: string;
  /** Where it is not the API's own. */
  host?: string;
  accept?: string;
}

/** A request as it is sent. */
export const requestOf = (
  url: string,
  { path, cookie = '', host = new URL(url).host, accept = '*/*' }: AskedPath,
): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: ${accept}\r\nCookie: ${cookie}\r\n\r\n`;

async function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket.on('error', () => undefined);
}

async function close(socket: Socket): Promise<void> {
  if (!socket.closed) {
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
  }
}

const closeAll = async (sockets: readonly Socket[]): Promise<void> => {
  await Promise.all(sockets.map(close));
};

/** Many connections, each of which sends this text at once, and reads all that comes, or nothing. */
export async function sendAtOnce(
  url: string,
  { connections, text, reads }: { connections: number; text: string; reads: boolean },
): Promise<End> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)));
  for (const socket of sockets) {
    if (reads) {
      socket.resume();
    } else {
      socket.pause();
    }
    socket.write(text);
  }
  return () => closeAll(sockets);
}

const statusLine = 'HTTP/1.1 ';

/**
 * Connections that send as many requests ahead as a server works on, again once these are answered, until
 * each has had so many answers.
 */
export async function sendAhead(
  url: string,
  {
    connections,
    request,
    ahead,
    answers,
  }: Record<'connections' | 'ahead' | 'answers', number> & { request: string },
): Promise<End> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(url)));
  for (const socket of sockets) {
    let [left, missing, tail] = [answers, 0, ''];
    const send = () => {
      missing = Math.min(ahead, left);
      left -= missing;
      socket.write(request.repeat(missing));
    };
    socket.on('data', (chunk) => {
      const got = tail + String(chunk);
      missing -= got.split(statusLine).length - 1;
      // Too short to hold a whole one, which would count twice.
      tail = got.slice(1 - statusLine.length);
      if (missing === 0 && left > 0) {
        send();
      }
    });
    send();
  }
  return () => closeAll(sockets);
}

/** Does it again and again, several at a time, whatever comes of it. */
export function repeat(atATime: number, work: () => Promise<unknown>): End {
  let isOver = false;
  const loop = async () => {
    while (!isOver) {
      await work().catch(() => undefined);
    }
  };
  const loops = Array.from({ length: atATime }, loop);
  return async () => {
    isOver = true;
    await Promise.all(loops);
  };
}
