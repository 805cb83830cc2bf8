/**
 * What the threat model promises: nothing of it is lost when the page is written again, and each
 * promise names its tests.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { testsNamed, threatModelEntries } from '../support/threat-model.ts';

/**
 * How many rules, attacks and limits the page has: R1 to R10, A1 to A140 and so on. A number may only grow:
 * the next one is of what is added.
 */
const lastIds = { R: 10, A: 140, N: 51 };

const page = readFileSync('docs/threat-model.md', 'utf8');

/** What is wrong with the ids of a page that has to have those up to `last`. */
function faultsOf(text: string, last: Record<string, number>): string[] {
  const entries = threatModelEntries(text);
  const found = entries.flatMap(({ ids }) => ids);
  const expected = Object.entries(last).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
  );
  return [
    ...expected.filter((id) => !found.includes(id)).map((id) => `${id} is gone`),
    ...found.filter((id) => !expected.includes(id)).map((id) => `${id} is not counted`),
    ...found.filter((id, index) => found.indexOf(id) !== index).map((id) => `${id} is there twice`),
    ...entries.flatMap(({ ids, tests }) => [
      ...(tests.length === 0 && !ids[0]?.startsWith('N') ? [`${ids.join(', ')} has no test`] : []),
      ...tests
        .map((name) => ({ name, files: testsNamed(name).length }))
        .filter(({ files }) => files !== 1)
        .map(({ name, files }) => `${ids.join(', ')}: ${files} tests are named ${name}`),
    ]),
  ];
}

describe('the threat model', () => {
  it('has every rule, attack and limit that it ever had, and tests of the rules and attacks that exist', () => {
    expect(faultsOf(page, lastIds)).toEqual([]);
  });

  it('is reported when it lost one, or the test of one', () => {
    const lost = [
      '| R1 | A rule. | `store/revocation` |',
      '| A1, A3 | Two attacks. | Something. | `no-such-test`, `revocation` |',
      '| A3 | An attack. | Something. | none |',
      '| A5 | An attack. | Something. | `siblings-contract` |',
      '- **N1** Nothing stops it.',
    ].join('\n');
    expect(faultsOf(lost, { R: 2, A: 4, N: 1 })).toEqual([
      'R2 is gone',
      'A2 is gone',
      'A4 is gone',
      'A5 is not counted',
      'A3 is there twice',
      'A1, A3: 0 tests are named no-such-test',
      'A1, A3: 2 tests are named revocation',
      'A3 has no test',
    ]);
  });

  it('answers each risk of the OWASP MCP Top 10 by rows that it has', () => {
    const rows = readFileSync('docs/owasp-mcp-top-10.md', 'utf8')
      .split('\n')
      .filter((line) => /^\| MCP\d\d /.test(line))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows).toHaveLength(10);
    const ids = threatModelEntries(page).flatMap((entry) => entry.ids);
    for (const [, risk, answers = '', rest = ''] of rows) {
      expect({ risk, answers: answers.split(', ').filter((id) => !/^[RA]/.test(id)) }).toEqual({
        risk,
        answers: [],
      });
      expect({
        risk,
        unknown: [...answers.split(', '), ...rest.split(', ')].filter((id) => !ids.includes(id)),
      }).toEqual({
        risk,
        unknown: [],
      });
    }
  });
});
