/** A real name server on loopback, which knows what a test tells it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** By name, in small letters: the bytes of its addresses, IPv4 and IPv6. */
export type NameRecords = Record<string, { 1?: number[]; 28?: number[] }>;

export interface NameServer {
  /** With its port. */
  address: string;
  /** Every name that it was asked for. */
  asked: readonly string[];
  close(): void;
}

export async function startNameServer(records: NameRecords): Promise<NameServer> {
  const asked: string[] = [];
  const socket = createSocket('udp4', (query, { port, address }) => {
    const sent = answer(query, { records, asked });
    if (sent !== null) {
      socket.send(sent, port, address);
    }
  }).bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => void socket.close(),
  };
}

/**
 * Answers with the record, or that there is none; to names below `silent.test` and `failing.test` with
 * nothing, and with a failure.
 */
function answer(query: Buffer, { records, asked }: { records: NameRecords; asked: string[] }): Buffer | null {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(
      query
        .subarray(at + 1, at + 1 + length)
        .toString()
        .toLowerCase(),
    );
    at += 1 + length;
  }
  const name = labels.join('.');
  const type = query.readUInt16BE(at + 1);
  asked.push(name);
  if (name.endsWith('silent.test')) {
    return null;
  }
  const known = records[name];
  const data = type === 1 || type === 28 ? known?.[type] : undefined;
  const refusal = name.endsWith('failing.test') ? 2 : 3;
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  head.writeUInt16BE(0x8180 | (known === undefined ? refusal : 0), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data === undefined ? 0 : 1, 6);
  const question = query.subarray(12, at + 5);
  const record = data === undefined ? [] : [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data];
  return Buffer.concat([head, question, Buffer.from(record)]);
}
