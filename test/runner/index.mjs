/**
 * A runner for jest that executes test files in ordinary Node processes, which keep the modules that they
 * have loaded for the files after. Jest's own loads some 1,800 modules again for every file, which was more
 * than half of the work of a run. Jest's command line, projects, reporters and `@jest/globals` are as ever;
 * `TEST_RUNNER=jest` brings its own runner back, as a control.
 */
import { EmittingTestRunner } from 'jest-runner';
import { mayRunTwice, placementOf, placements } from '../plan.mjs';
import { ChildProcess } from './child-process.mjs';
import { createEvents } from './events.mjs';
import { keepReport } from './report.mjs';

/** A test process this large is replaced by a new one. */
const mostRssBytes = 900 * 1024 * 1024;

export default class NodeRunner extends EmittingTestRunner {
  #events = createEvents();
  #interrupted = false;
  /** The results of files that failed and run once more at the end, by path. */
  #failedFirst = new Map();
  /** What each file cost, and what is to be said of it. */
  #report = [];

  on(name, listener) {
    return this.#events.on(name, listener);
  }

  async runTests(tests, watcher) {
    watcher.on('change', ({ interrupted }) => {
      this.#interrupted ||= interrupted;
    });
    const placed = (placement) => tests.filter(({ path }) => placementOf(path) === placement);
    const shared = [...placed(placements.shared), ...placed(placements.ownProcess)];
    const processes = Math.max(1, Math.min(this._globalConfig.maxWorkers, shared.length));
    await Promise.all(Array.from({ length: processes }, (_, at) => this.#work(at + 1, shared)));
    await this.#work(1, placed(placements.alone));
    await this.#runFailedAgain();
    keepReport(this._globalConfig.rootDir, this.#report);
  }

  /** Takes file after file from the queue, which several of these share, each with a process of its own. */
  async #work(slot, queue) {
    let child = null;
    while (queue.length > 0 && !this.#interrupted) {
      const test = queue.shift();
      const isShared = placementOf(test.path) === placements.shared;
      if (!isShared) {
        await child?.end();
        child = null;
      }
      child ??= new ChildProcess(slot);
      const outcome = await this.#runFile(child, test);
      if (!isShared || !outcome.isClean || outcome.rssBytes > mostRssBytes) {
        await child.end();
        child = null;
      }
    }
    await child?.end();
  }

  async #runFile(child, test) {
    await this.#events.emit('test-file-start', [test]);
    const outcome = await child.run(test, this._globalConfig);
    const leftBehind = leftBehindBy(test, outcome);
    const runsAgain = (failedIn(outcome) || leftBehind.length > 0) && mayRunTwice(test.path);
    this.#report.push({
      path: test.path,
      ...outcome.costs,
      leftBehind: runsAgain ? [] : leftBehind,
      attempt: 1,
    });
    if (runsAgain) {
      this.#failedFirst.set(test.path, { test, outcome });
      // At once: a run that is killed later has said what it found.
      process.stdout.write(`Failed, and runs once more at the end: ${test.path}\n${textOf(outcome)}\n`);
    } else {
      await this.#tell(test, outcome);
    }
    return { isClean: !failedIn(outcome) && outcome.leftBehind.length === 0, rssBytes: outcome.rssBytes };
  }

  /** One flaky file does not stop a run, and is named; what fails twice fails it. */
  async #runFailedAgain() {
    for (const { test, outcome: first } of this.#failedFirst.values()) {
      if (this.#interrupted) {
        await this.#tell(test, first);
        continue;
      }
      process.stdout.write(`Runs once more, alone: ${test.path}\n`);
      const child = new ChildProcess(1);
      const second = await child.run(test, this._globalConfig);
      await child.end();
      const leftBehind = leftBehindBy(test, second);
      this.#report.push({
        path: test.path,
        ...second.costs,
        leftBehind,
        attempt: 2,
        passed: !failedIn(second) && leftBehind.length === 0,
        firstOutput: textOf(first),
        secondOutput: textOf(second),
      });
      await this.#tell(test, second);
    }
  }

  #tell(test, { error, result }) {
    return error === null
      ? this.#events.emit('test-file-success', [test, result])
      : this.#events.emit('test-file-failure', [test, error]);
  }
}

const failedIn = ({ error, result }) =>
  error !== null || result.numFailingTests > 0 || Boolean(result.testExecError);

/** What a file that failed left open says nothing more, and nobody follows one with a process of its own. */
const leftBehindBy = ({ path }, outcome) =>
  failedIn(outcome) || placementOf(path) !== placements.shared ? [] : outcome.leftBehind;

const textOf = ({ error, result, leftBehind }) =>
  error?.stack ??
  result?.failureMessage ??
  (leftBehind.length > 0 ? `left behind ${leftBehind.join(', ')}` : 'passed');
