/** `npm start`, after its set-up (scripts/start.mjs): the whole platform on one machine. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ConfigurationError, parseEnvironment } from '../config/parse.ts';
import { startConfig } from '../config/start.ts';
import { unreadVariables } from '../config/unread-variables.ts';
import { startError, welcome } from './start/messages.ts';
import { StartError } from './start/start-error.ts';
import { startPlatform } from './start/start-platform.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

function temporalProgram(): string | undefined {
  try {
    return JSON.parse(readFileSync(`${root}/.cache/tools.json`, 'utf8')).temporal;
  } catch {
    return undefined;
  }
}

const startedAtMs = Date.now();
const interruption = new AbortController();

async function main(): Promise<void> {
  for (const { name, fault } of unreadVariables(process.env)) {
    console.log(`  ${name} ${fault}`);
  }
  const interrupted = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        // npm forwards Ctrl-C to a program that already got it from the terminal.
        if (!interruption.signal.aborted) {
          console.log('\n  Stopping.');
          interruption.abort();
          resolve();
        }
      });
    }
  });
  const platform = await startPlatform({
    config: parseEnvironment(startConfig, process.env),
    root,
    temporalProgram: temporalProgram(),
    environment: process.env,
    progress: (line) =>
      console.log(`  ${((Date.now() - startedAtMs) / 1000).toFixed(1).padStart(5)} s  ${line}`),
    signal: interruption.signal,
  });
  console.log(welcome(platform));
  await interrupted;
  await platform.stop();
  console.log('  Stopped. The data stays where it is.');
}

try {
  await main();
} catch (error) {
  process.exitCode = interruption.signal.aborted ? 130 : 1;
  if (!interruption.signal.aborted) {
    const expected = error instanceof StartError || error instanceof ConfigurationError;
    console.error(expected ? `\n${error.message}` : startError(error));
  }
}
