import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { describeWithClaude } from '../../support/claude-package.ts';

describeWithClaude('the types that the agent claude has of its SDK', () => {
  it('agree with those of the package', () => {
    expect(
      execFileSync('node_modules/typescript-7/bin/tsc', ['-p', 'agents/claude'], { encoding: 'utf8' }),
    ).toBe('');
  });
});
