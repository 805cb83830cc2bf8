import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/** Wording that went wrong before, and what the field says (docs/glossary.md names the product's own terms). */
const words: [RegExp, string][] = [
  [/\banew\b/i, 'again, or: recreate, restart, resend'],
  [/\bwhat (becomes|became|came) of\b/i, 'the outcome of, the state of'],
  [/\bhow (it|they|he|she) stands?\b/i, 'its state'],
  [/\bstands? around\b/i, 'surrounds, related to'],
  [/\bwith sense\b/i, 'valid'],
  [/\bin vain\b/i, 'gave up, without an answer'],
  [/\blets nobody\b/i, 'blocks, refuses, releases'],
  [/\b(holds?|keeps?) (nobody|somebody|everybody) (up|waiting)\b/i, 'blocks'],
  [/\b(is|are|was|were) away\b/i, 'unreachable, unavailable'],
  [/\bworth another\b/i, 'retried'],
  [/\bsigns? of life\b/i, 'heartbeat'],
  [/\b(told|tells|tell) of\b/i, 'reports, informs of'],
  [/\bat the wheel\b/i, 'drives'],
  [/\b(does|do|did) not want to\b/i, 'ignores signals, refuses'],
  [/\bmakes? room\b/i, 'frees a place, evicts'],
  [/\bstands? in the way\b/i, 'blocks'],
  [/\b(comes?|came) to (the same|nothing)\b/i, 'has the same result, has no effect'],
  [/\bwhat (it|they) (came|comes?) to\b/i, 'the result'],
  [/\bkeeps? to no\b/i, 'enforces no'],
  [/\basks? nobody\b/i, 'sends no request'],
  [/\bword for word\b/i, 'verbatim'],
  [/\bin the open\b/i, 'unencrypted'],
];

/** Recorded as they were: what people read of earlier releases, and histories of workflows. */
const asRecorded = /^(CHANGELOG\.md|test\/replay\/histories\/|test\/architecture\/words\.test\.ts$)/;

const wordsIn = (text: string) =>
  text.split('\n').flatMap((line, at) => {
    const [wrong, better] = words.find(([word]) => word.test(line)) ?? [];
    return wrong === undefined ? [] : [`${at + 1}: ${wrong.exec(line)?.[0]} (say: ${better})`];
  });

describe('the wording of code and documents', () => {
  it('uses standard terms', () => {
    const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.mts', '*.md'], {
      encoding: 'utf8',
    })
      .trim()
      .split('\n')
      .filter((path) => !asRecorded.test(path));
    expect(files.length).toBeGreaterThan(1000);
    const found = files.flatMap((path) =>
      wordsIn(readFileSync(path, 'utf8')).map((word) => `${path}:${word}`),
    );
    expect(found).toEqual([]);
  });

  it('is reported with its line and the standard term', () => {
    expect(wordsIn('// Starts the session.\n// Makes a volume that is gone anew.')).toEqual([
      '2: anew (say: again, or: recreate, restart, resend)',
    ]);
    expect(wordsIn("it('ends a process that does not want to', async () => {")).toEqual([
      '1: does not want to (say: ignores signals, refuses)',
    ]);
  });
});
