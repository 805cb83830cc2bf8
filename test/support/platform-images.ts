/** The images that the set-up of `npm test` built from deploy/, by their names in the container engine. */
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const names = z.object({
  sidecar: z.string(),
  scripted: z.string(),
  runner: z.string(),
  platform: z.string(),
  claude: z.string(),
  acp: z.string(),
  'demo-identity': z.string(),
});
export type PlatformImages = z.infer<typeof names>;

/** Null where none could be built: tests that need them are left out there. */
export const platformImages = readNames();

/** For use inside a test that is left out without images. */
export function requirePlatformImages(): PlatformImages {
  if (platformImages === null) {
    throw new Error('the images were not built; npm test says why');
  }
  return platformImages;
}

function readNames(): PlatformImages | null {
  try {
    return names.nullable().parse(JSON.parse(readFileSync('.cache/images.json', 'utf8')));
  } catch {
    return null;
  }
}
