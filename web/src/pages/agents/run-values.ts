/** What runs, as a form holds it: one choice, and the fields of each. */
import { type AcpPreset, acpPresets } from '../../../../contract/acp-preset.ts';
import { type ModelDialect, modelDialect } from '../../../../contract/model-access.ts';
import type { Agent } from '../../api/types.ts';

export interface RunValues {
  type: 'scripted' | 'claude' | 'acp' | 'command' | 'image';
  /** Also of `acp` with the preset `custom`. */
  command: string;
  args: string[];
  image: string;
  /** Of `acp`. */
  preset: AcpPreset;
}

export const newRun: RunValues = { type: 'command', command: '', args: [], image: '', preset: 'custom' };

export function runValuesOf(run: Agent['run']): RunValues {
  switch (run.type) {
    case 'builtin':
      return run.name === 'acp' ? { ...newRun, ...run, type: 'acp' } : { ...newRun, type: run.name };
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
      return preset === 'custom'
        ? { type: 'builtin', name: type, preset, command, args }
        : { type: 'builtin', name: type, preset };
    default:
      return { type: 'builtin', name: type };
  }
}

/** By which dialects it can ask a model; of what is unknown, any. */
export function spokenBy({ type, preset }: Pick<RunValues, 'type' | 'preset'>): readonly ModelDialect[] {
  if (type === 'claude') {
    return acpPresets.claude.dialects;
  }
  return type === 'acp' ? acpPresets[preset].dialects : modelDialect.options;
}
