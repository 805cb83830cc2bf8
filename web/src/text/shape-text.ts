/** What an MCP server or an agent runs as, in one line. */
import { acpPresets } from '../../../contract/acp-preset.ts';
import type { Agent, Shape } from '../api/types.ts';

/** What of a shape is shown in a line. */
type ShapeInLine =
  | Pick<Extract<Shape, { type: 'command' }>, 'type' | 'command' | 'args'>
  | Pick<Extract<Shape, { type: 'image' }>, 'type' | 'image'>
  | Pick<Extract<Shape, { type: 'remote' }>, 'type' | 'url'>;

/**
 * As one would type it in a shell, roughly: arguments with spaces in quotes. For reading, not for running.
 */
export function commandText({ command, args }: { command: string; args: readonly string[] }): string {
  return [command, ...args].map((part) => (/^[^\s'"]+$/.test(part) ? part : JSON.stringify(part))).join(' ');
}

export function shapeText(shape: ShapeInLine): string {
  switch (shape.type) {
    case 'command':
      return commandText(shape);
    case 'image':
      return shape.image;
    case 'remote':
      return shape.url;
  }
}

/** `Authorization: Bearer {API_TOKEN}`, for reading. */
export const headerText = ({
  name,
  prefix = '',
  variable,
}: {
  name: string;
  prefix?: string;
  variable: string;
}): string => `${name}: ${prefix}{${variable}}`;

export const shapeLabels: Record<Shape['type'], string> = {
  command: 'Command',
  image: 'Container image',
  remote: 'Remote URL',
};

/** What an agent or a server may reach. */
export const networkText = (network: Agent['network']): string =>
  network === 'none' ? 'none' : 'the internet, without private networks';

function builtinText(run: Extract<Agent['run'], { type: 'builtin' }>): string {
  if (run.name !== 'acp') {
    return run.name === 'scripted' ? 'Scripted steps' : 'Claude';
  }
  const what = run.preset === 'custom' ? commandText(run) : acpPresets[run.preset].label;
  return `${what} (ACP)`;
}

export function runText(run: Agent['run']): string {
  switch (run.type) {
    case 'builtin':
      return builtinText(run);
    case 'command':
      return commandText(run);
    case 'image':
      return run.image;
  }
}
