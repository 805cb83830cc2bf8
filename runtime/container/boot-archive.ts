/** Pure: a tar archive with one file, for upload into a container that has not started. */
const blockBytes = 512;

const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0');

/** Only the owner may read the file. `name` is ASCII and under 100 characters. */
export function archiveOf(name: string, content: string, owner: number): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(blockBytes);
  const fields: [number, string][] = [
    [0, name],
    [100, octal(0o400, 7)],
    [108, octal(owner, 7)],
    [116, octal(owner, 7)],
    [124, octal(bytes.length, 11)],
    [136, octal(0, 11)],
    // The checksum counts itself as spaces.
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar'],
    [263, '00'],
  ];
  for (const [at, text] of fields) {
    header.write(text, at, 'latin1');
  }
  const checksum = header.reduce((sum, byte) => sum + byte, 0);
  header.write(`${octal(checksum, 6)}\0 `, 148, 'latin1');
  const padding = Buffer.alloc((blockBytes - (bytes.length % blockBytes)) % blockBytes);
  return Buffer.concat([header, bytes, padding, Buffer.alloc(2 * blockBytes)]);
}
