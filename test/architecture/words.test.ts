import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

/**
 * Wording that went wrong before, and what the field says (docs/glossary.md names the product's own terms).
 */
const words: [RegExp, string][] = [
  [/\banew\b/i, 'again, or: recreate, restart, resend'],
  [/\bwhat (becomes|became|came) of\b/i, 'the outcome of, the state of'],
  [/\bhow (it|they|he|she) stands?\b/i, 'its state'],
  [/\bstands? around\b/i, 'surrounds, related to'],
  [/\bwith sense\b/i, 'valid'],
  [/\bin vain\b/i, 'gave up, without an answer'],
  [/\blets nobody\b/i, 'blocks, refuses, releases'],
  [/\b(holds?|keeps?) (nobody|somebody|everybody) (up|waiting)\b/i, 'blocks'],
  [/\b(is|are|was|were|be|been|being) away\b|^\| *away *\|/i, 'unreachable, unavailable'],
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
  [/\bfor good\b/i, 'permanently, without a time limit'],
  [/\bbeside that\b/i, 'also'],
  [/\bhow (an?|the|its|each|this) [\w -]{1,40}\bstands\b/i, 'the state of'],
  [/\b(is|are) the (most|least)\b(?! \w+(ive|ful|able|ent)\b)/i, 'the maximum, the minimum'],
  [/\bthere can be none\b/i, 'is not allowed'],
  [/\b(nobody|no one) knows\b/i, 'unknown, orphaned'],
  [/\bdo(es)? nothing but\b/i, 'only'],
  [/\btak(es?|ing) (them|it) again\b/i, 'accepts, unmutes'],
  [/\bdoes not take (the|its|your|those)\b/i, 'rejects'],
  [/\bwants? credentials\b/i, 'asks for credentials'],
  [/\bcarry on\b/i, 'continue'],
  [/\b(cannot|not|never) go on\b|\bgo(es)? on without\b/i, 'continue'],
  [/\bhelps? nobody\b/i, 'has no effect'],
  [/\bhears? of\b/i, 'is notified of'],
  [/\bto who\b/i, 'to the person who'],
  [/\bin a way that it may not\b/i, 'in a way that is not allowed'],
  [/\bholds? the others up\b/i, 'blocks, delays'],
  [/\bno (session|workflow|one) wants\b/i, 'orphaned'],
  [/\bcarr(y|ies) (an?|the) \w+ on\b/i, 'continue'],
  [/\bgoes nowhere\b/i, 'is dropped'],
  [/\b(release|releases|worker|workers|API) of before\b/i, 'previous, old'],
  [/\btaken up again\b/i, 'resumed'],
  [/\b(loud warning|warns loudly)\b/i, 'logs a warning'],
  [/\bnot believed\b/i, 'rejected'],
  [/\bby a hair\b/i, 'narrowly'],
  [/\bcreat\w+ nothing that permits\b/i, 'creates no grant'],
  [/black(s|ed|ing)?[-_ ]?outs?(?![a-z])/i, 'redact, redaction'],
  [/\b[eE]ras?\b|\bera[A-Z]|[a-z]Era\b/, 'protocol version'],
  [
    /\b(relay|network|sandbox|container)(’s|'s)? fences?\b|\bfenced (network|namespace|sandbox)/i,
    'network policy',
  ],
  [
    /\bpacers?\b|[cC](reate|all)Pace\b|\bpace of (calls|bytes|requests|questions)\b/,
    'rate limit, token bucket',
  ],
  [/\bcreate(Stream)?Slots(ByKey)?\b|\bslotted\b/, 'semaphore'],
  [/\bcreate(User|Export)?Turns\b|\bInTurn\b|\bwithTurn\b/, 'mutex, semaphore, advisory lock'],
  [/\boccupanc(y|ies)\b/i, 'concurrency limit'],
  [/^(<{7}|>{7}) /, 'the outcome of the merge'],
];

/** Recorded as they were: what people read of earlier releases, and histories of workflows. */
const asRecorded = /^(CHANGELOG\.md|test\/replay\/histories\/|test\/architecture\/words\.test\.ts$)/;
/** Not written by anyone here. */
const notText = /\.(png|sum)$|(^|\/)(package-lock\.json|LICENSE)$/;

/** What the next line of a paragraph or comment continues with, after its indentation and marks. */
const continued = (line: string | undefined) => line?.replace(/^[\s#*/-]+/, '') ?? '';

/** Each in the line that it begins in: it may be wrapped. */
const wordsIn = (text: string) =>
  text.split('\n').flatMap((line, at, lines) => {
    const wrapped = `${line} ${continued(lines[at + 1])}`;
    for (const [wrong, better] of words) {
      const found = wrong.exec(wrapped);
      if (found !== null && found.index < line.length) {
        return [`${at + 1}: ${found[0]} (say: ${better})`];
      }
    }
    return [];
  });

describe('the wording of code and documents', () => {
  it('uses standard terms', () => {
    const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .filter((path) => !asRecorded.test(path) && !notText.test(path) && existsSync(path));
    expect(files.length).toBeGreaterThan(1000);
    expect(files).toEqual(
      expect.arrayContaining([
        'docker-compose.yml',
        'deploy/Dockerfile',
        'deploy/helm/gatepost/templates/NOTES.txt',
        'relay/static/serve.c',
        'scripts/start-usage.txt',
        'web/src/pages/sign-in/sign-in-page.tsx',
      ]),
    );
    const found = files.flatMap((path) =>
      wordsIn(readFileSync(path, 'utf8')).map((word) => `${path}:${word}`),
    );
    expect(found).toEqual([]);
  });

  it('is reported with its line and the standard term', () => {
    expect(wordsIn('// Starts the session.\n// Makes a volume that is gone anew.')).toEqual([
      '2: anew (say: again, or: recreate, restart, resend)',
    ]);
    expect(wordsIn('# It waits while the database\n  # is away.\n')).toEqual([
      '2: is away (say: unreachable, unavailable)',
    ]);
    expect(wordsIn('# While its database is\n  # away, it waits.\n')).toEqual([
      '1: is away (say: unreachable, unavailable)',
    ]);
    expect(wordsIn("it('ends a process that does not want to', async () => {")).toEqual([
      '1: does not want to (say: ignores signals, refuses)',
    ]);
  });
});
