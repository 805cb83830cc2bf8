/**
 * Reads what registries say in a thread of one load: a document of megabytes keeps a thread busy for as long as it takes, and nothing
 * else. The thread also keeps which files were named, so that their number costs the process nothing.
 */
import { Worker } from 'node:worker_threads';
import type { KnownFile } from './documents.mjs';

export type DocumentKind = 'packument' | 'simple_json' | 'simple_html';

export interface DocumentReader {
  /** With the address of every file replaced by one of the proxy. Null: it has another form than a document of its kind, or too many values. */
  read(kind: DocumentKind, bytes: Uint8Array, base: URL): Promise<Uint8Array | null>;
  /** Null: no document that was read named such a file. */
  find(id: string): Promise<KnownFile | null>;
  close(): void;
}

type Question = { kind: DocumentKind; bytes: Uint8Array; base: string } | { id: string };
type Answer = Uint8Array | KnownFile | null;

/** Of its own: no environment, no arguments. */
const thread = new URL('./document-thread.mjs', import.meta.url);
/** Documents are counted before they are read, and stay far below it. */
const resourceLimits = { maxOldGenerationSizeMb: 1024 };

/** Its thread starts with the first question. What it returns throws when the thread has ended. */
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
