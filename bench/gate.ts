/** `npm run bench:gate`: what the gate costs a call, beside a direct socket and other proxies, all measured in this run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './gate/options.ts';
import { Processes } from './gate/processes.ts';
import { type Part, partTable } from './gate/report.ts';
import { measureRounds, openTargets } from './gate/rounds.ts';
import { targets } from './gate/targets.ts';

const turnMs = 400;
const inFlight = [1, 64];
const peers = new URL('./gate/peers/node_modules', import.meta.url).pathname;

const options = readOptions(process.argv.slice(2));
const progress = (text: string) => console.error(`  ${text}`);

async function measurePart(core: number | null): Promise<Part> {
  const cores = core === null ? 'unpinned' : 'pinned';
  const directory = mkdtempSync(join(options.directory, 'bg-'));
  const processes = new Processes(core);
  try {
    const chosen = targets.filter(({ name }) => options.rows.has(name));
    const load = await processes.startLoadGenerator();
    await openTargets(chosen, processes, load, { directory, peers });
    const shapes = options.sizesBytes.flatMap((sizeBytes) =>
      inFlight.map((n) => ({ sizeBytes, inFlight: n })),
    );
    const duration = { cellMs: options.seconds * 1000, turnMs };
    const cells = await measureRounds(chosen, shapes, load, duration, (text) =>
      progress(`${cores}: ${text}`),
    );
    return { cores, cells };
  } finally {
    await processes.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

for (const core of options.cores) {
  console.log(`${partTable(await measurePart(core))}\n`);
}
