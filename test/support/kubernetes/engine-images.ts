/** Images of the container engine on a cluster's node, each unpacked once until it changes. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { runEngine } from '../container-engine.ts';
import { whileLocked } from '../machine-lock.ts';
import { hasImage, importArchive } from './node-images.ts';
import type { NodePlace } from './node-place.ts';

/** By the engine's image id: the reference on the node. */
const imported = z.record(z.string(), z.string());

/** Returns the reference by digest that Pods may use. Throws when the engine has no such image. */
export async function importEngineImage(place: NodePlace, name: string): Promise<string> {
  return whileLocked(join(place.directory, 'import.lock'), async () => {
    const id = (await runEngine(['image', 'inspect', '--format', '{{.Id}}', name])).trim();
    const noteFile = join(place.imageDirectory, 'imported.json');
    const note = existsSync(noteFile) ? imported.parse(JSON.parse(readFileSync(noteFile, 'utf8'))) : {};
    const key = `${name} ${id}`;
    const known = note[key];
    if (known !== undefined && (await hasImage(place, known))) {
      return known;
    }
    const pinned = await copyImage(place, name);
    writeFileSync(noteFile, JSON.stringify({ ...note, [key]: pinned }));
    return pinned;
  });
}

async function copyImage(place: NodePlace, name: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'image-'));
  try {
    const file = join(directory, 'image.tar');
    await runEngine(['save', '--output', file, name], { timeoutMs: 300_000 });
    return await importArchive(place, file, name);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
