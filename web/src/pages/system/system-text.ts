/** What the system page says in words. Pure. */
import { acpPreset, acpPresets } from '../../../../contract/acp-preset.ts';
import type { Availability, SystemState } from '../../api/types.ts';

export interface RuledOut {
  what: string;
  /** With what has to be done about it. */
  why: string;
}

/** What cannot be used on an installation. */
export function ruledOut({ shapes, runs, ...here }: Availability): RuledOut[] {
  const candidates: [string, string | null][] = [
    [allBut('MCP servers that are commands', here.commands), shapes.command],
    ['MCP servers and agents that are images', shapes.image],
    ['Remote MCP servers', shapes.remote],
    ['Agents that are commands', runs.command],
    ['The built-in agent Claude', runs.claude],
    ['Agents that speak ACP', runs.acp],
    ...acpPreset.options.map((name): [string, string | null] => [
      name === 'custom' ? acpPresets.custom.label : `The agent ${acpPresets[name].label}, by ACP`,
      // The reason for all of them is enough.
      runs.acp === null ? here.acp_presets[name] : null,
    ]),
    ['Internet access of agents and MCP servers', here.internet],
    ['Private destinations', here.private_destinations],
    ['Programs beside an agent', here.companions],
  ];
  for (const [command, why] of Object.entries(here.unavailable_commands)) {
    candidates.push([`MCP servers that are started with ${command}`, why]);
  }
  return candidates.flatMap(([what, why]) => (why === null ? [] : [{ what, why }]));
}

const allBut = (what: string, commands: readonly string[]): string =>
  commands.length === 0 ? what : `${what}, but for ${commands.join(', ')}`;

const runtimeText: Record<SystemState['runtime'], string> = {
  process: 'processes of the worker’s machine',
  container: 'containers of a container engine',
  kubernetes: 'Pods of a Kubernetes cluster',
};

type RunningWorker = { capabilities: { sandbox: boolean } };

/** What sessions run as. About the sandbox it says only what the running workers report. */
export function sessionsText(runtime: SystemState['runtime'], running: readonly RunningWorker[]): string {
  if (runtime !== 'process' || running.length === 0) {
    return runtimeText[runtime];
  }
  const sandboxed = running.filter(({ capabilities }) => capabilities.sandbox).length;
  if (sandboxed === 0) {
    return `${runtimeText.process}, without a sandbox`;
  }
  const where = sandboxed === running.length ? '' : ' on some workers only';
  return `${runtimeText.process}, each in a sandbox of its own${where}`;
}
