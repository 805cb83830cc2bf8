/**
 * The gate takes two calls for the same exactly when another reader of JSON takes their arguments for the
 * same. `FUZZ_SEED` repeats a run.
 */
import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { canonicalJson } from '../../sidecar/json-rpc/canonical-json.ts';
import { volume } from '../support/mode.ts';
import { samplesOf } from '../support/property.ts';
import { announcedSeed, seededRandom } from '../support/seeded-random.ts';
import { anyArguments, changeModel, writeModel } from '../unit/sidecar/json-rpc/json-model.ts';
import { installedPrograms } from './oracle-servers.ts';

const [python] = installedPrograms().python ?? [];
const seed = announcedSeed('arguments in canonical form', 'FUZZ_SEED');
const pairCount = volume({ quick: 500, full: 2500, long: 25_000 }, 'FUZZ_PAIRS');

/** Two texts: of one value, or of one that was changed somewhere. */
function pairs(): [string, string][] {
  const random = seededRandom(seed);
  return samplesOf(anyArguments, pairCount, seed).map((model) => {
    const other = random.chance(40) ? model : changeModel(model, random);
    return [writeModel(model, random), writeModel(other, random)];
  });
}

(python === undefined ? it.skip : it)('two calls are the same for Python (needs python3), too', () => {
  const all = pairs();
  const { stdout, stderr } = spawnSync(python ?? '', ['test/fuzz/servers/equal-json.py'], {
    input: all.map((pair) => `${JSON.stringify(pair)}\n`).join(''),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const answers = stdout.split('\n').slice(0, -1);
  expect({ stderr, answers: answers.length }).toEqual({ stderr: '', answers: all.length });
  const textOf = (raw: string) => canonicalJson(raw, Number.MAX_SAFE_INTEGER).text;
  const wrong = all.filter(([one, other], at) => String(textOf(one) === textOf(other)) !== answers[at]);
  expect({ seed, wrong }).toEqual({ seed, wrong: [] });
  const same = answers.filter((answer) => answer === 'true').length;
  expect(Math.min(same, all.length - same)).toBeGreaterThan(all.length / 5);
});
