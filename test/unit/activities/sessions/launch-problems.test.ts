import { describe, expect, it } from '@jest/globals';
import { launchProblems } from '../../../../activities/sessions/launch-problems.ts';
import { runPattern } from '../../../../contract/run-pattern.mjs';
import { configuration } from '../../../support/frozen-configuration.ts';

const facts = { secrets: new Map(), exposedSecrets: new Set<string>(), judge: runPattern };
const plain = { kind: 'value', value: 'x' } as const;
const run = { type: 'builtin', name: 'scripted' } as const;

describe('an agent from before a variable was reserved', () => {
  it('is not started, and neither are its siblings, with a sentence that names the variable', () => {
    const env = { PYTHONHOME: plain, npm_config_registry: plain };
    const siblings = [{ name: 'helper', run, image: null, env: { RUBYOPT: plain } }];
    expect(launchProblems(configuration({ agent: { env }, siblings }), facts)).toEqual([
      "the agent's environment: variable PYTHONHOME decides which code a program loads; it may not be set",
      'sibling "helper": variable RUBYOPT decides which code a program loads; it may not be set',
    ]);
  });
});
