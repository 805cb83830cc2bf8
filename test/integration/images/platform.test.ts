/** The programs of the platform's image: each reports what it lacks, and works with what it needs. */
import { describe, expect, it } from '@jest/globals';
import { platformImages, requirePlatformImages } from '../../support/platform-images.ts';
import { runConfined } from './run-container.ts';

(platformImages === null ? describe.skip : describe)('the platform’s image', () => {
  const run = (program: string, environment: Record<string, string> = {}) =>
    runConfined(requirePlatformImages().platform, ['node', `dist/${program}.js`], { environment });

  it.each([
    ...['api', 'worker', 'migrate', 'reencrypt-secrets', 'move-person', 'make-admin'],
    'remove-workspace',
  ])('starts %s, which names every missing variable', async (program) => {
    const { exitCode, output } = await run(program);
    expect({ output, exitCode }).toMatchObject({ exitCode: 1 });
    expect(output).toContain('DATABASE_URL');
    expect(output).not.toMatch(/Cannot find (module|package)|at .*\(node:/);
  });
});
