/**
 * Parses registry documents in a separate thread for each load: a document of megabytes blocks only that
 * thread. The thread also stores which files were named, so that their number costs the process nothing.
 */
import { Worker } from 'node:worker_threads';
import type { KnownFile } from './documents.mjs';

export type DocumentKind = 'packument' | 'simple_json' | 'simple_html';

export interface DocumentReader {
  /** With every file URL replaced by one of the proxy. Null: not a valid document of its kind, or too many values. */
  read(kind: DocumentKind, bytes: Uint8Array, base: URL): Promise<Uint8Array | null>;
  /** Null: no document read so far named such a file. */
  find(id: string): Promise<KnownFile | null>;
  close(): void;
}

type Question = { kind: DocumentKind; bytes: Uint8Array; base: string } | { id: string };
type Answer = Uint8Array | KnownFile | null;

/** Isolated: no environment, no arguments. */
const thread = new URL('./document-thread.mjs', import.meta.url);
/** The values of a document are counted before it is parsed, so it stays far below this. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 };

/** Starts its thread with the first request. The returned functions throw once the thread has ended. */
export function createDocumentReader(origin: string): DocumentReader {
  const asked: { resolve(answer: Answer): void; reject(error: Error): void }[] = [];
  let worker: Worker | null = null;
  let ended: Error | null = null;
  const end = (error: Error) => {
    ended ??= error;
    for (const { reject } of asked.splice(0)) {
      reject(ended);
    }
  };
  const start = () => {
    const options = { env: {}, argv: [], execArgv: [], workerData: { origin }, resourceLimits };
    const started = new Worker(thread, options);
    started.on('message', (answer: Answer) => asked.shift()?.resolve(answer));
    started.on('error', end);
    started.on('exit', () => end(new Error('the thread that reads documents has ended')));
    started.unref();
    return started;
  };
  const ask = (question: Question) =>
    new Promise<Answer>((resolve, reject) => {
      if (ended !== null) {
        return reject(ended);
      }
      worker ??= start();
      asked.push({ resolve, reject });
      worker.postMessage(question);
    });
  return {
    async read(kind, bytes, base) {
      const answer = await ask({ kind, bytes, base: base.href });
      return ArrayBuffer.isView(answer) ? answer : null;
    },
    async find(id) {
      const answer = await ask({ id });
      return ArrayBuffer.isView(answer) ? null : answer;
    },
    close() {
      end(new Error('the load has ended'));
      worker?.terminate();
    },
  };
}
