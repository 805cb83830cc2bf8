/** What cannot be used on an installation, as a list. Pure. */
import { acpPreset, acpPresets } from '../../../../contract/acp-preset.ts';
import type { Availability } from '../../api/types.ts';

export interface RuledOut {
  what: string;
  /** With what has to be done about it. */
  why: string;
}

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
