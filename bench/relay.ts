/** `node --import tsx bench/relay.ts`: a round trip through the static relay beside the same through `socat`, in turns. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median } from './gate/statistics.ts';

const rounds = 7;
const tripsPerRound = 20_000;
const messageBytes = 300;

const directory = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const socket = join(directory, 'echo.sock');
const address = `UNIX-CONNECT:${socket}`;
const relay = join(directory, 'relay');
const driver = join(directory, 'round-trip');
const build = (output: string, source: string) =>
  execFileSync('sh', [resolve('relay/static/build.sh'), output, resolve(source)]);

/** On one core, where a round trip does not depend on which cores the kernel chose. */
const commands: Record<string, readonly string[]> = {
  relay: [relay, '-', address],
  socat: ['socat', '-', address],
  node: [process.execPath, resolve('dist/relay.js'), '-', address],
};

interface Figures {
  medianNs: number[];
  p99Ns: number[];
  memoryKib: number[];
}

function measure(command: readonly string[], figures: Figures): void {
  const trip = [driver, socket, String(tripsPerRound), String(messageBytes), ...command];
  const [p50 = 0, p99 = 0, memory = 0] = execFileSync('taskset', ['-c', '0', ...trip])
    .toString()
    .split(' ')
    .map(Number);
  figures.medianNs.push(p50);
  figures.p99Ns.push(p99);
  figures.memoryKib.push(memory);
}

try {
  build(relay, 'relay/static');
  build(driver, 'bench/relay');
  const all = Object.entries(commands).map(([name, command]) => {
    const figures: Figures = { medianNs: [], p99Ns: [], memoryKib: [] };
    return { name, command, figures };
  });
  for (let round = 0; round < rounds; round += 1) {
    for (const { command, figures } of all) {
      measure(command, figures);
    }
  }
  console.log(`${messageBytes} bytes there and back, ${rounds} rounds of ${tripsPerRound} each, on one core`);
  for (const { name, figures } of all) {
    const [p50, p99] = [median(figures.medianNs) / 1000, median(figures.p99Ns) / 1000];
    const memory = `${median(figures.memoryKib)} KiB`;
    console.log(`${name.padEnd(6)} p50 ${p50.toFixed(1)} us  p99 ${p99.toFixed(1)} us  resident ${memory}`);
  }
  const p50Of = (index: number) => median(all[index]?.figures.medianNs ?? []);
  console.log(
    `relay : socat = ${(p50Of(0) / p50Of(1)).toFixed(2)}, relay : node = ${(p50Of(0) / p50Of(2)).toFixed(2)}`,
  );
  console.log(
    `load of the machine ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
