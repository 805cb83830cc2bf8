/**
 * The bench's own programs as a command line: a session's sandbox sees no project, but
 * the text in its arguments.
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** What the contract allows for each argument. */
const maxLength = 4096;
const joined = 'eval(process.argv.slice(1).join(""))';

export interface CommandLine {
  type: 'command';
  command: string;
  args: string[];
}

export async function commandLineOf(name: 'agent' | 'server'): Promise<CommandLine> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    ...{ bundle: true, platform: 'node', target: 'node20', format: 'cjs', minify: true, write: false },
  });
  const text = outputFiles[0]?.text ?? '';
  const parts = Array.from({ length: Math.ceil(text.length / maxLength) }, (_, part) =>
    text.slice(part * maxLength, (part + 1) * maxLength),
  );
  return { type: 'command', command: 'node', args: ['-e', joined, ...parts] };
}
