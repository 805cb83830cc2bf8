import { describe, expect, it } from '@jest/globals';
import { sessionsText } from '../../../web/src/pages/system/system-text.ts';

describe('what sessions run as', () => {
  const workers = (...sandboxes: boolean[]) => sandboxes.map((sandbox) => ({ capabilities: { sandbox } }));

  it.each([
    ['process', [true, true], 'processes of the worker’s machine, each in a sandbox of its own'],
    [
      'process',
      [true, false],
      'processes of the worker’s machine, each in a sandbox of its own on some workers only',
    ],
    ['process', [false], 'processes of the worker’s machine, without a sandbox'],
    ['process', [], 'processes of the worker’s machine'],
    ['container', [false], 'containers of a container engine'],
    ['kubernetes', [false], 'Pods of a Kubernetes cluster'],
  ] as const)('are on %s, with sandboxes %j', (runtime, sandboxes, text) => {
    expect(sessionsText(runtime, workers(...sandboxes))).toBe(text);
  });
});
