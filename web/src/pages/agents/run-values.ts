/** What runs, as a form holds it: one choice, and the fields of each. */
import type { Agent } from '../../api/types.ts';

export interface RunValues {
  type: 'scripted' | 'claude' | 'acp' | 'command' | 'image';
  command: string;
  args: string[];
  image: string;
  /** Of `acp`; empty: as its variables say. */
  preset: AcpPreset | '';
}

export type AcpPreset = NonNullable<Extract<Agent['run'], { type: 'builtin' }>['preset']>;

export const newRun: RunValues = { type: 'command', command: '', args: [], image: '', preset: 'custom' };

export function runValuesOf(run: Agent['run']): RunValues {
  switch (run.type) {
    case 'builtin':
      return { ...newRun, type: run.name, preset: run.preset ?? (run.name === 'acp' ? '' : newRun.preset) };
    case 'command':
      return { ...newRun, type: 'command', command: run.command, args: run.args };
    case 'image':
      return { ...newRun, type: 'image', image: run.image };
  }
}

export function runOf({ type, command, args, image, preset }: RunValues): Agent['run'] {
  switch (type) {
    case 'command':
      return { type, command, args };
    case 'image':
      return { type, image: image.trim() };
    case 'acp':
      return { type: 'builtin', name: type, ...(preset === '' ? {} : { preset }) };
    default:
      return { type: 'builtin', name: type };
  }
}
