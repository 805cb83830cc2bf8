/**
 * Containers as the platform starts them: nothing writable but what is mounted, no capability, no network.
 */
import { spawn } from 'node:child_process';
import { engineCommand } from '../../support/container-engine.ts';

const confined = ['run', '--rm', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];

export interface ContainerOptions {
  /** Directories that are empty and writable. */
  writable?: readonly string[];
  network?: 'none' | 'host';
  environment?: Readonly<Record<string, string>>;
  /** Override the image's own. */
  user?: string;
  capability?: string;
}

/** The engine's arguments that run `command` in the image, or the image's own command without one. */
export function confinedArguments(
  image: string,
  command: readonly string[],
  { writable = [], network = 'none', environment = {}, user, capability }: ContainerOptions = {},
): string[] {
  return [
    ...confined,
    ...['--network', network],
    // podman alone makes /run and /tmp writable unless disabled.
    ...(engineCommand([]).program === 'podman' ? ['--read-only-tmpfs=false'] : []),
    ...(user === undefined ? [] : ['--user', user]),
    ...(capability === undefined ? [] : ['--cap-add', capability]),
    ...writable.flatMap((path) => ['--tmpfs', `${path}:rw,mode=1777`]),
    ...Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    image,
    ...command,
  ];
}

export interface Ended {
  exitCode: number | null;
  /** Both streams. */
  output: string;
}

/** Runs it until it exits. */
export async function runConfined(
  image: string,
  command: readonly string[],
  options: ContainerOptions = {},
): Promise<Ended> {
  const { program, args, environment } = engineCommand(confinedArguments(image, command, options));
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, output };
}
