/** The disk's time for one record of the audit trail: an append and its sync, in a preallocated file. */
import { closeSync, fdatasync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { Client } from './line-client.ts';

const recordBytes = 220;
const fileBytes = 16 * 1024 * 1024;

export function openDiskClient(path: string): Promise<Client> {
  const file = openSync(path, 'w');
  writeSync(file, Buffer.alloc(fileBytes));
  fsyncSync(file);
  const record = Buffer.alloc(recordBytes, 65);
  let position = 0;
  return Promise.resolve({
    send() {
      writeSync(file, record, 0, recordBytes, position);
      position = (position + recordBytes) % (fileBytes - recordBytes);
      return new Promise((resolve, reject) =>
        fdatasync(file, (error) => (error ? reject(error) : resolve())),
      );
    },
    close: () => closeSync(file),
  });
}
