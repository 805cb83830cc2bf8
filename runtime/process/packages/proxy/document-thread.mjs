/** Parses the documents of one load, and stores the files that they name. Each message has one answer, in order. */
import { parentPort, workerData } from 'node:worker_threads';
import { holdsMoreValues } from '../../../../contract/count-json-values.mjs';
import { createKnownFiles, rewritePackument, rewriteSimpleHtml, rewriteSimpleJson } from './documents.mjs';

/** The largest documents of real packages have some 16 bytes to a value. */
const maxValues = 1_000_000;

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
    return Buffer.from(rewriters[kind](text, new URL(base), (url) => files.addressOf(url, manager)));
  } catch {
    return null;
  }
}
