import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { randomlySeededTests } from '../../random-seeds.mjs';
import { volume } from '../../support/mode.ts';
import { checkAsyncProperty, checkProperty, runsInMode, samplesOf } from '../../support/property.ts';
import { announcedSeed, fixedSeed } from '../../support/seeded-random.ts';
import { filesOf } from '../../tiers.mjs';

const variables = ['TEST_MODE', 'TEST_SEEDS', 'PROPERTY_SEED', 'SOME_SEED', 'SOME_COUNT'];
const before = new Map(variables.map((name) => [name, process.env[name]]));
let written: string;

beforeEach(() => {
  written = '';
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += text;
    return true;
  });
  set({});
});
afterEach(() => {
  jest.restoreAllMocks();
  set(Object.fromEntries(before));
});

function set(values: Record<string, string | undefined>): void {
  for (const name of variables) {
    delete process.env[name];
    if (values[name] !== undefined) {
      process.env[name] = values[name];
    }
  }
}

/** What a property is tried with. */
function tried(): number[] {
  const values: number[] = [];
  checkProperty(
    fc.property(fc.integer(), (value) => {
      values.push(value);
    }),
  );
  return values;
}

describe('how often something is tried', () => {
  const counts = { quick: 1, full: 2, long: 3 };
  it.each([
    [undefined, 1, 25],
    ['quick', 1, 25],
    ['full', 2, 100],
    ['long', 3, 500],
  ])('depends on the mode: %s', (mode, count, runs) => {
    set({ TEST_MODE: mode });
    expect(volume(counts)).toBe(count);
    expect(tried()).toHaveLength(runs);
    expect(checkProperty(fc.property(fc.nat(), () => true))).toBe(runs);
  });

  it('is what a variable says, where it is set', () => {
    set({ TEST_MODE: 'full' });
    expect(volume(counts, 'SOME_COUNT')).toBe(2);
    set({ TEST_MODE: 'full', SOME_COUNT: '7' });
    expect(volume(counts, 'SOME_COUNT')).toBe(7);
  });

  it('is a tenth in mode quick, and all where that would be few', () => {
    expect([3000, 300, 100, 12].map(runsInMode)).toEqual([300, 30, 25, 12]);
  });

  it('is in no mode that does not exist', () => {
    set({ TEST_MODE: 'slow' });
    expect(tried).toThrow('quick, full, long');
  });
});

describe('a seed', () => {
  it.each(['quick', 'full'])('is the same in each run of mode %s', (mode) => {
    set({ TEST_MODE: mode });
    expect(tried()).toEqual(tried());
    expect(samplesOf(fc.integer(), 9)).toEqual(samplesOf(fc.integer(), 9));
    expect(announcedSeed('a test', 'SOME_SEED')).toBe(fixedSeed);
    expect(written).toBe(`a test: SOME_SEED=${fixedSeed}\n`);
  });

  it.each([{ TEST_MODE: 'long' }, { TEST_SEEDS: 'random' }])('is another each time with %j', (values) => {
    set(values);
    expect(tried()).not.toEqual(tried());
    expect(samplesOf(fc.integer(), 9)).not.toEqual(samplesOf(fc.integer(), 9));
    expect(announcedSeed('a test', 'SOME_SEED')).not.toBe(announcedSeed('a test', 'SOME_SEED'));
  });

  it('that was written brings the values back', () => {
    set({ TEST_SEEDS: 'random' });
    const values = tried();
    const [, seed] = /PROPERTY_SEED=(\d+)/.exec(written) ?? [];
    set({ PROPERTY_SEED: seed });
    expect(tried()).toEqual(values);
  });

  it('that is neither random nor fixed is refused', () => {
    set({ TEST_SEEDS: '5' });
    expect(tried).toThrow('random or fixed');
  });
});

describe('a property that does not hold', () => {
  it('fails with its seed and the smallest values', () => {
    const check = () => checkProperty(fc.property(fc.nat(), (value) => value < 5));
    expect(check).toThrow(`seed: ${fixedSeed}`);
    expect(check).toThrow('Counterexample: [5]');
  });

  it('fails after a while, too', async () => {
    const property = fc.asyncProperty(fc.nat(), (value) => Promise.resolve(value < 5));
    await expect(checkAsyncProperty(property)).rejects.toThrow('Counterexample: [5]');
  });

  it('is found by an example that its seed would not find', () => {
    const property = fc.property(fc.integer(), (value) => value !== 1_234_567);
    expect(checkProperty(property)).toBe(25);
    expect(() => checkProperty(property, { examples: [[1_234_567]] })).toThrow('1234567');
  });
});

it('each test of the gate, the parser and rendered workloads that chooses at random runs with random seeds in CI', () => {
  const chooses = (path: string) =>
    /checkProperty|checkAsyncProperty|samplesOf|announcedSeed/.test(readFileSync(path, 'utf8'));
  const required = /^test\/unit\/(sidecar\/(gate|json-rpc)\/|runtime\/.*\/render-)/;
  expect(randomlySeededTests.filter((path) => !chooses(path))).toEqual([]);
  const missing = filesOf('unit').filter((path) => required.test(path) && chooses(path));
  expect(missing.filter((path) => !randomlySeededTests.includes(path))).toEqual([]);
});
