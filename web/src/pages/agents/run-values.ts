/** What runs, as a form holds it: one choice, and the fields of each. */
import type { Agent } from '../../api/types.ts';

export interface RunValues {
  type: 'scripted' | 'claude' | 'acp' | 'command' | 'image';
  command: string;
  args: string[];
  image: string;
}

export const newRun: RunValues = { type: 'command', command: '', args: [], image: '' };

export function runValuesOf(run: Agent['run']): RunValues {
  switch (run.type) {
    case 'builtin':
      return { ...newRun, type: run.name };
    case 'command':
      return { ...newRun, type: 'command', command: run.command, args: run.args };
    case 'image':
      return { ...newRun, type: 'image', image: run.image };
  }
}

export function runOf({ type, command, args, image }: RunValues): Agent['run'] {
  switch (type) {
    case 'command':
      return { type, command, args };
    case 'image':
      return { type, image: image.trim() };
    default:
      return { type: 'builtin', name: type };
  }
}
