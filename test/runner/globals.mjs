/**
 * `@jest/globals` in a test process. Modules of test support stay loaded while files come and go, so what
 * they import here stands for that of the file which runs.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { jestExpect } = require('@jest/expect');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

let current = {};

/** Names the functions of the file that runs now. */
export function useGlobals(globals) {
  current = globals;
}

/** Stands for `current[name]`, with what belongs to it: `it.each`, `describe.skip`. */
const standIn = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _this, args) => current[name](...args),
    get: (_target, property) => current[name][property],
  });

export const expect = jestExpect;
export const afterAll = standIn('afterAll');
export const afterEach = standIn('afterEach');
export const beforeAll = standIn('beforeAll');
export const beforeEach = standIn('beforeEach');
export const describe = standIn('describe');
export const it = standIn('it');
export const test = standIn('test');

let mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
  config: { fakeTimers: {}, rootDir: process.cwd() },
  // Of the global object itself they would also replace `node:timers`, which this runner
  // and other files wait by.
  global: new Proxy(globalThis, {}),
});

/** What the tests use of jest's object. A test that needs more adds it here. */
export const jest = {
  fn: (implementation) => mocker.fn(implementation),
  spyOn: (object, method, access) => mocker.spyOn(object, method, access),
  restoreAllMocks: () => mocker.restoreAllMocks(),
  useFakeTimers: (options) => timers.useFakeTimers(options),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTime: (ms) => timers.advanceTimersByTime(ms),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
  runAllTimersAsync: () => timers.runAllTimersAsync(),
  getTimerCount: () => timers.getTimerCount(),
};

/**
 * After a file, which restores itself what it spied on: restored here, a spy of a fake timer would bring this
 * timer back after its clock is gone.
 */
export function endFile() {
  timers.useRealTimers();
  mocker = new ModuleMocker(globalThis);
}
