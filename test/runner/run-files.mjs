/** A process that runs test files, one after the other, each when its parent says so. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { endFile, useGlobals } from './globals.mjs';
import { lookAround } from './left-behind.mjs';
import { processorMs } from './processor-time.mjs';

const require = createRequire(import.meta.url);
const { BufferedConsole } = require('@jest/console');
const adapterInit = require.resolve('jest-circus/runner').replace(/runner\.js$/, 'jestAdapterInit.js');
const runCircus = require('jest-circus/runner').default;

Error.stackTraceLimit = 100;

/** Errors outside a test, such as a promise that fails after its file has ended. */
const lateErrors = [];
process.on('uncaughtException', (error) => lateErrors.push(error));
process.on('unhandledRejection', (error) => lateErrors.push(error));

/** What a file used of the things that test/support/costs.ts counts. */
const countedCosts = Symbol.for('gatepost.test-costs');

/** How to close what files keep for those after them (test/support/process-resources.ts). */
const keptResources = [];
globalThis[Symbol.for('gatepost.process-resources')] = keptResources;

process.on('message', async (message) => {
  if (message.end) {
    await closeKept();
    process.exit(0);
  }
  process.send(await runFile(message));
});
process.on('disconnect', () => process.exit(1));

async function runFile({ run: path, config, globalConfig }) {
  const before = lookAround();
  const cpuBefore = processorMs();
  const startedAt = Date.now();
  const testConsole = new BufferedConsole();
  const ownConsole = globalThis.console;
  globalThis.console = testConsole;
  delete globalThis[countedCosts];
  let result = null;
  let error = null;
  try {
    result = await runCircus(globalConfig, config, environment, runtimeFor(before), path);
  } catch (thrown) {
    error = { message: String(thrown?.message ?? thrown), stack: String(thrown?.stack ?? thrown) };
  } finally {
    globalThis.console = ownConsole;
    endFile();
  }
  const costs = { processorMs: processorMs() - cpuBefore, ...globalThis[countedCosts] };
  delete globalThis[countedCosts];
  const leftBehind = [
    ...(await before.findWhatIsNew()),
    ...lateErrors.splice(0).map((late) => `an error after its end: ${late?.stack ?? late}`),
  ];
  return {
    result: result && asJestExpects(result, { path, config, testConsole, startedAt }),
    error,
    costs,
    leftBehind,
    rssBytes: process.memoryUsage.rss(),
  };
}

/** Jest's own runner adds these. */
function asJestExpects(result, { path, config, testConsole, startedAt }) {
  const end = Date.now();
  const count =
    result.numPassingTests + result.numFailingTests + result.numPendingTests + result.numTodoTests;
  return {
    ...result,
    perfStats: {
      ...result.perfStats,
      start: startedAt,
      end,
      runtime: end - startedAt,
      slow: end - startedAt > config.slowTestThreshold * 1000,
    },
    // They hold what cannot be sent; the messages are in `failureMessages`.
    testResults: result.testResults.map((one) => ({ ...one, failureDetails: [] })),
    testFilePath: path,
    console: testConsole.getBuffer(),
    skipped: count === result.numPendingTests,
    displayName: config.displayName,
    leaks: false,
  };
}

/** What jest-circus asks of jest's sandbox, which is this process here. */
const environment = { global: globalThis };

function runtimeFor(before) {
  return {
    // Its state is that of one file.
    requireInternalModule(file) {
      if (file !== adapterInit) {
        throw new Error(`jest-circus loads ${file}, which this runner does not know`);
      }
      delete require.cache[file];
      delete globalThis[Symbol.for('EVENT_HANDLERS')];
      return require(file);
    },
    requireModule: require,
    setGlobalsForRuntime: useGlobals,
    unstable_shouldLoadAsEsm: () => true,
    async unstable_importModule(file) {
      await import(pathToFileURL(file).href);
      before.allowGlobals();
    },
    enterTestCode() {},
    leaveTestCode() {},
  };
}

async function closeKept() {
  const closing = keptResources.splice(0).map((close) => close());
  for (const { reason } of await Promise.allSettled(closing)) {
    if (reason !== undefined) {
      process.stderr.write(`${reason?.stack ?? reason}\n`);
    }
  }
}
