import { spawn } from 'node:child_process';
import { expect, it } from '@jest/globals';

it('the set-up does nothing the second time, also when two run concurrently', async () => {
  const runs = await Promise.all(
    [1, 2].map(
      () =>
        new Promise<{ code: number | null; output: string }>((resolve) => {
          const child = spawn(process.execPath, ['scripts/setup.mjs', '--tiers', 'services']);
          let output = '';
          for (const stream of [child.stdout, child.stderr]) {
            stream.on('data', (chunk: Buffer) => {
              output += chunk.toString();
            });
          }
          child.once('close', (code) => resolve({ code, output }));
        }),
    ),
  );
  for (const { code, output } of runs) {
    expect(output).not.toContain('installed (');
    expect({ code, output }).toMatchObject({ code: 0 });
  }
});
