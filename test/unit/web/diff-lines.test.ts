import { expect, it } from '@jest/globals';
import { diffLines } from '../../../web/src/pages/sessions/diff-lines.ts';

it('tells what each line of a patch is, whatever the lines of its files look like', () => {
  const patch = [
    'diff --git a/a b/a',
    '--- a/a',
    '+++ b/a',
    '@@ -1,3 +1,2 @@ head',
    ' same',
    '--- not a head',
    '-@@ -1 +1 @@',
    '+++ nor this',
    '\\ No newline at end of file',
    'diff --git a/b b/b',
  ];
  expect(diffLines(`${patch.join('\n')}\n`).map(({ kind }) => kind)).toEqual([
    ...['file', 'same', 'same', 'place', 'same', 'removed', 'removed', 'added', 'same', 'file'],
  ]);
});
