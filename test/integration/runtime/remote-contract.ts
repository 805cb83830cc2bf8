/**
 * How every driver runs a remote MCP server: as the platform's bridge, which reaches no private address
 * unless the operator listed it.
 */
import { expect, it } from '@jest/globals';
import { remoteNamed } from '../../support/frozen-configuration.ts';
import { type ContractSessions, callsTool, containerIn, node } from './driver-under-test.ts';

const shape = { type: 'remote' as const, url: 'https://10.9.8.7/mcp' };

export function describeRemote<Spec>({
  driver,
  prepare,
  start,
  logged,
  runtime,
}: ContractSessions<Spec>): void {
  const withServer = () =>
    prepare({
      agent: node(callsTool('far', 'greet')),
      servers: [remoteNamed('far', { shape, tool_scopes: {} })],
    });

  if (driver.isolates) {
    it('runs the bridge of a remote server, which says why it reaches no private address', async () => {
      const id = await start(withServer());
      const log = await logged(id, 'agent', 'TOLD ');
      expect(log).toContain('10.9.8.7 has a private address and is not asked; PRIVATE_MCP_HOSTS');
      expect(containerIn(await runtime().inspect(id), 'mcp-far')).toMatchObject({ state: 'running' });
    });
  } else {
    it('refuses a remote server: others could ask for its tokens', () => {
      expect(() => runtime().render(withServer())).toThrow('remote MCP servers need a sandbox');
    });
  }
}
