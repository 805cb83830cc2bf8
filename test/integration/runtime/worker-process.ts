/** A test script that is a separate worker process, so that it can be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundledProgram } from '../../support/bundled-program.ts';

/** `input` goes through its standard input, as JSON: it holds secrets. */
export function startWorkerProcess(script: URL, input: unknown): ChildProcess {
  const worker = spawn(process.execPath, [bundledProgram(fileURLToPath(script))], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // It may be killed before it has read it.
  worker.stdin.on('error', () => undefined);
  worker.stdin.end(JSON.stringify(input));
  return worker;
}
