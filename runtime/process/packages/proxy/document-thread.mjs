/** Parses the documents of one load, and stores the files that they name. Each message has one answer, in order. */
import { parentPort, workerData } from 'node:worker_threads';
import { holdsMoreValues } from '../../../../contract/count-json-values.mjs';
import { createKnownFiles, rewritePackument, rewriteSimpleHtml, rewriteSimpleJson } from './documents.mjs';

/** The largest documents of real packages have some 16 bytes to a value. */
const maxValues = 1_000_000;

/** A document is about as long as it was, with other addresses in it. */
const maxLinks = 200_000;
const maxLinkCharacters = 32 * 1024 * 1024;

const files = createKnownFiles(workerData.origin);
const rewriters = {
  packument: rewritePackument,
  simple_json: rewriteSimpleJson,
  simple_html: rewriteSimpleHtml,
};

parentPort.on('message', (asked) => {
  parentPort.postMessage('id' in asked ? files.find(asked.id) : read(asked));
});

/** Null: not a valid document of its kind, or too many values. */
function read({ kind, bytes, base }) {
  const manager = kind === 'packument' ? 'npm' : 'uv';
  if (kind !== 'simple_html' && holdsMoreValues(bytes, maxValues)) {
    return null;
  }
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return Buffer.from(rewriters[kind](text, new URL(base), boundedRewrite(manager)));
  } catch {
    return null;
  }
}

/** Throws once the new addresses of one document are too many or too long: some addresses grow to fifty times their length. */
function boundedRewrite(manager) {
  let links = 0;
  let characters = 0;
  return (url) => {
    const address = files.addressOf(url, manager);
    links += 1;
    characters += address.length;
    if (links > maxLinks || characters > maxLinkCharacters) {
      throw new Error('too many or too long addresses');
    }
    return address;
  };
}
