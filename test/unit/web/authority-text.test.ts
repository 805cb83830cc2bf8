import { describe, expect, it } from '@jest/globals';
import {
  heldGrantLimit,
  heldGrantText,
  networkText,
  serverText,
} from '../../../web/src/text/authority-text.ts';

const server = {
  name: 'files',
  remote: false,
  network: 'none' as const,
  egress_allow: [],
  unlisted_tools: 'allow' as const,
  tool_scopes: ['files.remove', 'files.write'],
  more_tool_scopes: 0,
  secrets: [],
  more_secrets: 0,
};

describe('a server of an agent that may be started', () => {
  it('is said to open what it opens, by scopes', () => {
    expect(serverText(server)).toBe(
      'network: none; asks for files.remove, files.write; its other tools need no grant',
    );
    expect(serverText({ ...server, tool_scopes: [] })).toBe('network: none; none of its tools needs a grant');
    expect(serverText({ ...server, unlisted_tools: 'refuse', more_tool_scopes: 3 })).toBe(
      'network: none; asks for files.remove, files.write and 3 more; of its other tools only listed ones can be called',
    );
  });

  it('is said to be remote, to reach the private destinations that were opened, and to be given its secrets', () => {
    const reaching = { remote: true, network: 'internet' as const, egress_allow: ['db.corp:5432'] };
    expect(
      serverText({ ...server, ...reaching, tool_scopes: [], secrets: ['A', 'B'], more_secrets: 1 }),
    ).toBe(
      'a remote server; network: the internet, db.corp:5432; none of its tools needs a grant; is given A, B and 1 more',
    );
  });
});

describe('a grant of an agent that may be started', () => {
  const grant = { id: 'g', details: {}, scope: 'persistent' as const, child_agent: null };

  it('is said by what it lets the agent do', () => {
    expect(heldGrantText({ grant_type: 'tool_scope', details: { scope: 'files.write' } })).toBe(
      'call tools that need files.write',
    );
    expect(heldGrantText({ grant_type: 'agent_env', details: { secret_name: 'TOKEN' } })).toBe(
      'read the secret TOKEN',
    );
    const details = { secret_name: 'KEY', endpoint: 'chat' };
    expect(heldGrantText({ grant_type: 'model_key', details })).toBe(
      'ask a language model at chat with the key KEY, which it cannot read',
    );
    expect(heldGrantText({ grant_type: 'spawn', details: { child_agent_id: 'c' } })).toBe(
      'start sessions of the agent',
    );
  });

  it('is said to be for one use, and to have no effect where only orchestrators have use for it', () => {
    expect(heldGrantLimit({ ...grant, grant_type: 'tool_scope' }, 'worker')).toBe('');
    expect(heldGrantLimit({ ...grant, grant_type: 'tool_scope', scope: 'once' }, 'worker')).toBe(', once');
    expect(heldGrantLimit({ ...grant, grant_type: 'spawn' }, 'orchestrator')).toBe('');
    expect(heldGrantLimit({ ...grant, grant_type: 'spawn', scope: 'once' }, 'worker')).toBe(
      ', once (no effect: it is a worker)',
    );
  });
});

it('a network is said with the private destinations that were opened', () => {
  expect(networkText({ network: 'none', egress_allow: [] })).toBe('none');
  expect(networkText({ network: 'none', egress_allow: ['10.0.0.0/8:443'] })).toBe('10.0.0.0/8:443');
  expect(networkText({ network: 'internet', egress_allow: [] })).toBe('the internet');
});
