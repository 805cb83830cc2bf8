import { describe, expect, it } from '@jest/globals';
import { runtimeName, unavailableRunProblems } from '../../../contract/available-runs.ts';

const image = { type: 'image', image: 'registry.example/team/agent:1' } as const;

describe('what a runtime cannot run', () => {
  it('is an image for processes, and only for them', () => {
    const refusing = runtimeName.options.filter(
      (runtime) => unavailableRunProblems(image, runtime).length > 0,
    );
    expect(refusing).toEqual(['process']);
  });

  it('is never a command or the scripted agent', () => {
    for (const runtime of runtimeName.options) {
      expect(unavailableRunProblems({ type: 'command', command: 'node', args: [] }, runtime)).toEqual([]);
      expect(unavailableRunProblems({ type: 'builtin', name: 'scripted' }, runtime)).toEqual([]);
    }
  });
});
