/** The parent's side of a process that runs test files. */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./start.mjs', import.meta.url));

/** Ends what hangs; the limits of single tests are far below. */
const fileLimitMs = 20 * 60_000;
const endLimitMs = 20_000;

export class ChildProcess {
  #child;
  #ended;

  /** `slot` tells it apart from the others that run at the same time: ports and names are chosen by it. */
  constructor(slot) {
    this.#child = fork(program, {
      execArgv: ['--enable-source-maps', '--disable-warning=ExperimentalWarning', '--expose-gc'],
      env: { ...process.env, JEST_WORKER_ID: String(slot), NODE_ENV: 'test' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child.stdout.pipe(process.stdout, { end: false });
    this.#child.stderr.pipe(process.stderr, { end: false });
    this.#ended = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#child.once('error', (error) => resolve(error.message));
    });
  }

  /** Runs one file. Never rejects: a process that ends is an error of the file. */
  async run(test, globalConfig) {
    let timer;
    const answer = new Promise((resolve) => {
      this.#child.once('message', resolve);
      this.#child.send({ run: test.path, config: test.context.config, globalConfig }, (error) => {
        if (error) {
          resolve(failed(`The test process takes no file: ${error.message}`));
        }
      });
      timer = setTimeout(() => {
        this.#child.kill('SIGKILL');
        resolve(failed(`The file had not ended after ${fileLimitMs / 60_000} minutes`));
      }, fileLimitMs);
    });
    const end = this.#ended.then((how) => failed(`The test process ended while it ran this file: ${how}`));
    return await Promise.race([answer, end]).finally(() => clearTimeout(timer));
  }

  /** Lets it close what it keeps for all its files, and kills it when that takes too long. */
  async end() {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), endLimitMs);
    if (this.#child.connected) {
      this.#child.send({ end: true }, () => undefined);
    }
    await this.#ended;
    clearTimeout(timer);
  }
}

const failed = (message) => ({
  result: null,
  error: { message, stack: message },
  costs: {},
  leftBehind: [],
  rssBytes: Number.POSITIVE_INFINITY,
});
