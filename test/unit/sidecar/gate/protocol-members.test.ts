import { describe, expect, it } from '@jest/globals';
import { hasLookalikeMember } from '../../../../sidecar/gate/protocol-members.ts';

const members = [
  ...['_meta', 'name', 'arguments', 'task', 'inputResponses', 'requestState', 'requestId', 'reason'],
  ...['progressToken', 'progress', 'total', 'message', 'taskId', 'status', 'protocolVersion'],
  ...['capabilities', 'clientInfo', 'level', 'notifications', 'cursor', 'uri', 'ref', 'argument', 'context'],
];
const metaMembers = [
  'progressToken',
  ...[
    'protocolVersion',
    'clientInfo',
    'clientCapabilities',
    'logLevel',
    'related-task',
    'subscriptionId',
  ].map((name) => `io.modelcontextprotocol/${name}`),
];
const otherSpellings = (member: string) => [
  member.toUpperCase(),
  `${member} `,
  `${member}\u200b`,
  `${member}\u0085`,
  `-${member}`,
  member.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
  [...member].map((letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0)).join(''),
];

describe('members of params', () => {
  it.each(members)('%s passes as written, and in no other spelling', (member) => {
    expect(hasLookalikeMember({ [member]: 1 })).toBe(false);
    const spellings = otherSpellings(member).filter((spelling) => spelling !== member);
    expect(spellings.filter((spelling) => !hasLookalikeMember({ [spelling]: 1 }))).toEqual([]);
  });

  it('of other names pass, except the prototype', () => {
    expect(hasLookalikeMember({})).toBe(false);
    expect(hasLookalikeMember({ filter: 1, names: 2, NAMES: 3, 'x-name': 4, '': 5 })).toBe(false);
    expect(hasLookalikeMember(JSON.parse('{"__proto__":{}}'))).toBe(true);
    expect(hasLookalikeMember({ name: 'read', filter: 1, Name: 'write' })).toBe(true);
  });
});

describe('members of _meta', () => {
  it.each(metaMembers)('%s passes as written, and in no other spelling', (member) => {
    expect(hasLookalikeMember({ _meta: { [member]: 1 } })).toBe(false);
    const spellings = otherSpellings(member).filter((spelling) => spelling !== member);
    expect(spellings.filter((spelling) => !hasLookalikeMember({ _meta: { [spelling]: 1 } }))).toEqual([]);
  });

  it('of other names pass, except the prototype', () => {
    expect(hasLookalikeMember({ _meta: { Name: 1, 'example.com/progressToken': 2 } })).toBe(false);
    expect(hasLookalikeMember({ _meta: JSON.parse('{"__proto__":{}}') })).toBe(true);
    expect(hasLookalikeMember({ _meta: null })).toBe(false);
    expect(hasLookalikeMember({ _meta: 'Name' })).toBe(false);
  });
});
