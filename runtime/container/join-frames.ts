/** Pure: demultiplexes a container's output from the engine's stdout and stderr frames. */
const headerBytes = 8;

/** In the order in which it was written. A last frame that is cut off counts as far as it goes. */
export function joinFrames(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const end = at + headerBytes + bytes.readUInt32BE(at + 4);
    parts.push(bytes.subarray(at + headerBytes, end));
    at = end;
  }
  return Buffer.concat(parts);
}

/** At most `tailBytes` from the end, starting at a whole character. */
export function tailOf(output: Buffer, tailBytes: number): string {
  let start = Math.max(0, output.length - tailBytes);
  while (start > 0 && isContinuation(output[start])) {
    start += 1;
  }
  return output.toString('utf8', start);
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;
