/** Agents of others that the built-in agent `acp` knows to start (docs/bring-your-own-agent.md). Pure. */
import * as z from 'zod';
import { type ModelDialect, modelDialect } from './model-access.ts';

/** `custom`: any program that speaks the Agent Client Protocol. */
export const acpPreset = z.enum(['claude', 'codex', 'opencode', 'custom']);
export type AcpPreset = z.infer<typeof acpPreset>;

/** By which each asks its model; of `custom` nothing is known. */
export const dialectsOfPreset: Record<AcpPreset, readonly ModelDialect[]> = {
  claude: ['messages'],
  codex: ['responses'],
  opencode: modelDialect.options,
  custom: modelDialect.options,
};

/** By which one asks only for a model that its agent names: it has no choice of its own there. */
export const dialectsOfNamedModels: Partial<Record<AcpPreset, readonly ModelDialect[]>> = {
  opencode: ['chat_completions'],
};
