/** The platform's images, which `node scripts/setup.mjs --test` builds where there is a container engine. */
import { readFileSync } from 'node:fs';
import { describe } from '@jest/globals';
import { z } from 'zod';
import { hasContainerEngine } from '../../support/container-engine.ts';

const images = z.object({ sidecar: z.string(), scripted: z.string(), runner: z.string() });

function findImages(): z.infer<typeof images> | null {
  try {
    return images.parse(JSON.parse(readFileSync('.cache/images.json', 'utf8')));
  } catch {
    return null;
  }
}

/** References on the engine of the tests. Throws where they were not built. */
export function platformImages(): z.infer<typeof images> {
  const found = findImages();
  if (found === null) {
    throw new Error('the images are not built; node scripts/setup.mjs --test says why');
  }
  return found;
}

/** `describe`, for tests that run sessions as containers; they are left out where there is no engine. */
export const describeInContainers: typeof describe | typeof describe.skip =
  hasContainerEngine && findImages() !== null ? describe : describe.skip;
