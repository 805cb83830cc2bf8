/**
 * The official scenarios of a client's sign-in against the platform's (`lib/oauth`), with a client that is
 * otherwise as plain as can be.
 */
import { expect, it } from '@jest/globals';
import { bundledProgram } from '../support/bundled-program.ts';
import { countPasses, type Revision, runSignInScenarios } from './official-scenarios.ts';

/** Not required of a client: grants without a person who signs in, and tokens that are bound to a key. */
const extensions = [
  'client-credentials-basic',
  'client-credentials-jwt',
  'dpop',
  'dpop-nonce',
  'enterprise-managed-authorization',
  'wif-jwt-bearer',
];

it.each<[Revision, number]>([
  ['2025-11-25', 14],
  ['2026-07-28', 25],
])(
  'the official sign-in scenarios of %s pass',
  async (revision, scenarios) => {
    const client = bundledProgram('test/conformance/sign-in-client.ts');
    const outcome = await runSignInScenarios(`${process.execPath} ${client}`, revision);
    const required = [...outcome].filter(([name]) => !extensions.includes(name));
    process.stdout.write(
      `conformance of the sign-in ${revision}: ${countPasses(new Map(required))} checks of ${required.length} scenarios pass\n`,
    );
    expect(required.length).toBeGreaterThanOrEqual(scenarios);
    const failed = required
      .map(
        ([name, checks]) =>
          [name, checks.filter((check) => !/: (SUCCESS|INFO|SKIPPED)$/.test(check))] as const,
      )
      .filter(([, checks]) => checks.length > 0)
      .toSorted();
    expect(failed).toEqual([]);
  },
  600_000,
);
