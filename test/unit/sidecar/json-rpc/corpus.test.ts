import { describe, expect, it } from '@jest/globals';
import { decideAgentMessage } from '../../../../sidecar/gate/decide.ts';
import { createGateMap } from '../../../../sidecar/gate/gate-map.ts';
import { parseLine } from '../../../../sidecar/json-rpc/parse-line.ts';
import { implementationDefinedLines } from '../../../corpus/json-rpc/implementation-defined.ts';
import { invalidMessages } from '../../../corpus/json-rpc/invalid-messages.ts';
import { invalidTexts } from '../../../corpus/json-rpc/invalid-texts.ts';
import type { Line, Verdict } from '../../../corpus/json-rpc/line.ts';
import { validLines } from '../../../corpus/json-rpc/valid.ts';
import { createLedger } from '../server-link/create-ledger.ts';

const tools = createGateMap({ write_file: 'files.write' });
const { ledger } = createLedger();
ledger.send({ id: 7, method: 'tools/call', call: null, isModern: false, argumentsDigest: null });

function verdictOn(bytes: Buffer): Verdict {
  const parsed = parseLine(bytes);
  if (!parsed.ok) {
    return parsed.problem;
  }
  const decision = decideAgentMessage(parsed.message, {
    tools,
    protocolVersion: '2025-11-25',
    refusesChanges: false,
    wasShown: () => false,
    agentIdOpen: (id) => ledger.find(id) !== null,
    agentIdTaken: (id) => ledger.isTaken(id),
    serverIdOpen: (id) => id === 'p',
    roomForRequest: true,
    holdsTooMuch: false,
  });
  if (decision.action === 'refuse' || decision.action === 'drop') {
    return decision.reason;
  }
  return decision.action === 'call' && decision.scope !== null ? 'gated' : 'passes';
}

const invalidLines = [...invalidTexts, ...invalidMessages];
const all = [...validLines, ...implementationDefinedLines, ...invalidLines];
/** By title, so that a diff shows only what differs. */
const byTitle = (lines: readonly Line[], verdictOf: (line: Line) => Verdict) =>
  Object.fromEntries(lines.map((line) => [line.title, verdictOf(line)]));

describe('the corpus', () => {
  it('holds at least 318 lines, none twice', () => {
    expect(all.length).toBeGreaterThanOrEqual(318);
    const seen = all.map(({ bytes }) => bytes.toString('latin1'));
    expect(seen.filter((text, index) => seen.indexOf(text) !== index)).toEqual([]);
  });

  it('refuses for every reason that there is, but for those that need more than one line', () => {
    const refused = new Set(invalidLines.map(({ verdict }) => verdict));
    expect(refused.size).toBe(25);
    expect(validLines.every(({ verdict }) => verdict === 'passes' || verdict === 'gated')).toBe(true);
    expect(refused.has('passes') || refused.has('gated')).toBe(false);
  });
});

it.each([
  ['valid lines', validLines],
  ['lines that implementations may define', implementationDefinedLines],
  ['invalid lines', invalidLines],
])('the gate says to all %s what the corpus says', (_title, lines) => {
  const actual = byTitle(lines, ({ bytes }) => verdictOn(bytes));
  expect(actual).toEqual(byTitle(lines, ({ verdict }) => verdict));
  expect(Object.keys(actual)).toHaveLength(lines.length);
});
