import { describe, expect, it } from '@jest/globals';
import { decideAgentMessage } from '../../../../sidecar/gate/decide.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';

const call = (name: string) =>
  decideAgentMessage(
    { kind: 'request', id: 1, method: 'tools/call', params: { name } },
    {
      tools: createGateMap({ danger: 'a.b' }),
      protocolVersion: '2025-11-25',
      refusesChanges: false,
      wasShown: () => false,
      agentIdOpen: () => false,
      agentIdTaken: () => false,
      serverIdOpen: () => false,
      roomForRequest: true,
      holdsTooMuch: false,
    },
  );

describe('a tool name that some readers truncate, or that cannot be stored', () => {
  it.each(['danger\0', 'danger\n', 'danger\u007f', 'danger\u0085', 'danger\ud800', '\udc00danger', '\0'])(
    'is refused, and recorded in a form that can be stored: %j',
    (name) => {
      const decision = call(name);
      expect(decision).toMatchObject({ action: 'refuse', reason: 'bad_tool_name', id: 1 });
      const recorded = decision.action === 'refuse' ? (decision.tool ?? '') : '';
      expect(recorded.isWellFormed()).toBe(true);
      expect(recorded).not.toMatch(/\p{Cc}/u);
      expect(recorded).toContain('\uFFFD');
    },
  );

  it('is not one with merely foreign letters', () => {
    expect(call('écrire_日本')).toMatchObject({ action: 'call' });
  });
});
