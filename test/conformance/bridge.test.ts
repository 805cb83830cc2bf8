/**
 * The official scenarios of a client beyond signing in, with the bridge between the
 * SDK's client and the server.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { bundleBridge } from '../integration/relay/remote/agent-side.ts';
import { bundledProgram } from '../support/bundled-program.ts';
import { type Revision, runClientScenario } from './official-scenarios.ts';

/**
 * By revision, all that `conformance list --client` names for it, but for `auth/`
 * (sign-in.test.ts) and extensions.
 */
const scenarios: Record<Revision, string[]> = {
  '2025-11-25': [
    'initialize',
    'tools_call',
    'elicitation-sep1034-client-defaults',
    'sse-retry',
    'json-schema-2020-12-preservation',
  ],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
    'json-schema-2020-12-preservation',
  ],
};

describe.each(Object.entries(scenarios) as [Revision, string[]][])(
  'through the bridge, of %s',
  (revision, names) => {
    let command: string;
    beforeAll(() => {
      const client = bundledProgram('test/conformance/bridge-client.ts');
      command = `${process.execPath} ${client} ${bundleBridge()}`;
    });

    it.each(names)('the scenario %s passes', async (name) => {
      const checks = await runClientScenario(command, name, revision);
      expect(checks.filter((check) => check.endsWith(': SUCCESS'))).not.toEqual([]);
      expect(checks.filter((check) => !/: (SUCCESS|INFO|SKIPPED)$/.test(check))).toEqual([]);
    });
  },
);
