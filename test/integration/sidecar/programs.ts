/** The real programs, bundled as they are for a session, into a directory of this test run. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleForNode } from '../../support/esbuild.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

export interface Programs {
  sidecar: string;
  relay: string;
  scriptedAgent: string;
}

/** Bundles once per test file. */
export async function bundlePrograms(): Promise<Programs> {
  const directory = await mkdtemp(join(tmpdir(), 'programs-'));
  const entries = ['sidecar', 'relay', 'scripted-agent'].map((name) => `bin/${name}.ts`);
  bundleForNode([...entries, `--banner:js=${banner}`, `--outdir=${directory}`]);
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  const program = (name: string) => join(directory, `${name}.js`);
  return { sidecar: program('sidecar'), relay: program('relay'), scriptedAgent: program('scripted-agent') };
}

/** An MCP server's command from `deploy/runner/`. */
export const runnerCommand = (name: string) => join(root, 'deploy/runner/node_modules/.bin', name);
