/**
 * Agents of others that the built-in agent `acp` knows to start, and what people read who choose one
 * (docs/bring-your-own-agent.md#an-agent-that-speaks-acp). Pure.
 */
import * as z from 'zod';
import { type ModelDialect, modelDialect } from './model-access.ts';

/** `custom`: any program that speaks the Agent Client Protocol. */
export const acpPreset = z.enum(['claude', 'codex', 'opencode', 'custom']);
export type AcpPreset = z.infer<typeof acpPreset>;

interface AcpPresetFacts {
  label: string;
  suits: string;
  /** `full`: each point that is tested holds; `limited`: each but what it lacks. */
  support: 'full' | 'limited' | 'untested';
  /** A sentence; also of `full`, which may cost more than one thinks. */
  lacks: string;
  /** By which it asks its model; of `custom` nothing is known. */
  dialects: readonly ModelDialect[];
  /** By which it asks only for a model that its agent names: it has no choice of its own there. */
  dialectsOfNamedModels: readonly ModelDialect[];
  /**
   * What it has to have a loopback of its own for, which no container of a Pod has; null: Unix sockets are
   * enough for it.
   */
  needsLoopback: string | null;
}

export const acpPresets: Record<AcpPreset, AcpPresetFacts> = {
  claude: {
    label: 'Claude Code',
    suits: 'For models of Anthropic, and others behind an endpoint that speaks as theirs does.',
    support: 'full',
    lacks: 'It asks its model for a title of the conversation, too, which its budget counts.',
    dialects: ['messages'],
    dialectsOfNamedModels: [],
    needsLoopback: null,
  },
  codex: {
    label: 'Codex',
    suits: 'For models of OpenAI, and others behind an endpoint that speaks Responses.',
    support: 'limited',
    lacks: 'It looks up names of its vendor, which only the network "none" stops, and keeps a few tools.',
    dialects: ['responses'],
    dialectsOfNamedModels: [],
    needsLoopback: 'it asks its model at a port',
  },
  opencode: {
    label: 'OpenCode',
    suits: 'For any model: it speaks each dialect.',
    support: 'full',
    lacks: 'It takes 600 MiB of memory, and leaves out a server that takes longer than 30 s to start.',
    dialects: modelDialect.options,
    dialectsOfNamedModels: ['chat_completions'],
    needsLoopback: 'it talks to itself by a port',
  },
  custom: {
    label: 'Another program that speaks ACP',
    suits: 'For an agent of your own, or one without a place in this list.',
    support: 'untested',
    lacks: 'Nothing is known of what it needs: what its settings do not say, it does not get.',
    dialects: modelDialect.options,
    dialectsOfNamedModels: [],
    needsLoopback: null,
  },
};
