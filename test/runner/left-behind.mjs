/** What a test file leaves in its process: the next file would meet it. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Closing takes a moment, and some of it is not waited for. */
const settleMs = 2000;
const everyMs = 20;

/** These come and go by themselves, or are kept open between requests. */
const ignoredResources = new Set([
  'Immediate',
  'PipeWrap',
  'FSReqCallback',
  'FSReqPromise',
  'CloseReq',
  'GetAddrInfoReqWrap',
]);

/** Of jest, and of what is counted (test/support/costs.ts). */
const ownSymbols = new Set(
  [
    'EVENT_HANDLERS',
    'JEST_STATE_SYMBOL',
    'RETRY_TIMES_SETTER',
    'gatepost.test-costs',
    '$$jest-matchers-object',
    // Of `fetch`, once it is used.
    'undici.globalDispatcher.1',
  ].map((name) => `Symbol(${name})`),
);

/** Others are made when somebody first asks for them. */
const replaceable = new Set([
  'Date',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'queueMicrotask',
  'performance',
  'fetch',
  'process',
]);

/** A package's that writes out what it has: it is added once. */
const ignoredListeners = new Set(['exit']);

/** Remembers what is there now. */
export function lookAround() {
  const resources = countedResources();
  const listeners = countedListeners();
  const variables = { ...process.env };
  let globals = valuesOfGlobals();
  const directory = process.cwd();
  return {
    /** Called when a file's modules are loaded: some packages keep a global of their own. */
    allowGlobals() {
      globals = valuesOfGlobals();
    },
    /** What is there now and was not then, a line each. */
    async findWhatIsNew() {
      const giveUpAt = Date.now() + settleMs;
      let more = moreThan(resources, countedResources());
      while (more.length > 0 && Date.now() < giveUpAt) {
        await sleep(everyMs);
        more = moreThan(resources, countedResources());
      }
      return [
        ...more.map(([name, count]) => `${count} open ${name}${name === 'Timeout' ? describeTimers() : ''}`),
        ...moreThan(listeners, countedListeners()).map(
          ([name, count]) => `${count} listeners of the process for ${name}`,
        ),
        ...changedVariables(variables).map((name) => `the variable ${name}`),
        ...[...valuesOfGlobals()].filter(isReplaced(globals)).map(([name]) => `the global ${String(name)}`),
        ...(process.cwd() === directory ? [] : ['another working directory']),
      ];
    },
  };
}

const isReplaced =
  (globals) =>
  ([name, value]) =>
    !globals.has(name) || globals.get(name) !== value;

/** All names, with the values of those that a test might replace. */
function valuesOfGlobals() {
  const names = Reflect.ownKeys(globalThis).filter((name) => !ownSymbols.has(String(name)));
  return new Map(names.map((name) => [name, replaceable.has(name) ? globalThis[name] : null]));
}

function countedResources() {
  const counts = new Map();
  for (const name of process.getActiveResourcesInfo()) {
    if (!ignoredResources.has(name)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

const countedListeners = () =>
  new Map(
    process
      .eventNames()
      .filter((name) => !ignoredListeners.has(name))
      .map((name) => [String(name), process.listenerCount(name)]),
  );

/**
 * The durations of open timers and what they call, all of them: Node keeps those of one duration in a list,
 * which a new one of this duration leads to.
 */
function describeTimers() {
  const found = [];
  for (let ms = 1; ms <= 3_600_000; ms += ms < 30_000 ? 1 : 1000) {
    const probe = setTimeout(() => {}, ms);
    for (let timer = probe._idleNext; timer && timer !== probe; timer = timer._idleNext) {
      if (typeof timer._onTimeout === 'function' && timer.hasRef()) {
        found.push(` (${ms} ms: ${String(timer._onTimeout).replace(/\s+/g, ' ').slice(0, 200)})`);
      }
    }
    clearTimeout(probe);
  }
  return found.join('');
}

const moreThan = (before, now) =>
  [...now].map(([name, count]) => [name, count - (before.get(name) ?? 0)]).filter(([, more]) => more > 0);

function changedVariables(before) {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  return [...names].filter((name) => before[name] !== process.env[name]);
}
